import { RpcError } from '@svc/plugin-sdk';

/** Query and delete repeat code and message in `data`, as a string of JSON (conventions.md §5.1). */
export const withJsonData = (error: RpcError): RpcError =>
  new RpcError(error.code, error.message, {
    data: JSON.stringify({ error_id: error.code, error_message: error.message }),
    cause: error.cause,
  });
