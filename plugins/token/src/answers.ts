import type { Static } from '@svc/plugin-sdk';
import type { TokenObject } from './schemas.ts';
import type { Token } from './token.ts';

/** A record as clients see it; no id, hash, secret or password. */
export const tokenObject = (token: Token): Static<typeof TokenObject> => ({
  version: 1,
  token_key: token.key,
  timestamp_from: token.timestamp_from,
  timestamp_to: token.timestamp_to,
  token_limit: [...token.limits],
  username: token.username,
});
