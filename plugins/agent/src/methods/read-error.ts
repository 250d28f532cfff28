import { RpcError } from '@svc/plugin-sdk';

/** Error of a read method, which repeats code and message in `data`, as a string of JSON (agent.md §1.2). */
export const withJsonData = (error: RpcError): RpcError =>
  new RpcError(error.code, error.message, {
    data: JSON.stringify({ error_id: error.code, error_message: error.message }),
    cause: error.cause,
  });
