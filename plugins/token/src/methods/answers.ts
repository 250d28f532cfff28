import type { Static } from '@svc/plugin-sdk';
import type { TokenRecord } from '../api.ts';
import type { TokenRow } from '../records/store.ts';
import { loadLimits } from '../rights/limits.ts';
import type { Vocabulary } from '../rights/vocabulary.ts';
import type { TokenObject } from '../schemas.ts';

/** A record as clients see it; no id, hash, secret or password. */
export const tokenObject = (token: TokenRecord): Static<typeof TokenObject> => ({
  version: 1,
  token_key: token.key,
  timestamp_from: token.timestamp_from,
  timestamp_to: token.timestamp_to,
  token_limit: [...token.limits],
  username: token.username,
});

/** Record of a row that is not cached. Problems with it are logged when it is used. */
export const rowObject = (row: TokenRow, vocabulary: Vocabulary): Static<typeof TokenObject> => ({
  version: 1,
  token_key: row.token_key,
  timestamp_from: row.time_stamp_from,
  timestamp_to: row.time_stamp_to,
  token_limit: loadLimits(row.token_limit, vocabulary, () => undefined),
  username: row.username,
});
