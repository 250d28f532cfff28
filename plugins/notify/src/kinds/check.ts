import { checkFields } from './fields.ts';
import type { Kind, Values } from './types.ts';

/** Checks the fields of a channel. @throws RpcError 108 that names the field and what to write */
export const checkValues = (kind: Kind, config: Values, secret: Values): void =>
  checkFields(
    {
      ...{ kind: kind.kind, fields: kind.fields, open: 'config' },
      check: (values) => kind.check?.(values),
    },
    config,
    secret,
  );
