import { type Static, Type, Uuid } from '@svc/plugin-sdk';
import { Int64, Uint64 } from '@svc/plugin-sdk/schemas';
import { conditionsOf, ONE_MEMBER } from '@svc/plugin-sdk/sql';

const pair = Type.Tuple([Int64, Int64]);

/** One element of a condition list (agent.md §3). */
export const Condition = Type.Union([
  Type.Literal('last'),
  Type.Object({ last: Type.Null() }, ONE_MEMBER),
  Type.Object({ uuid: Uuid }, ONE_MEMBER),
  Type.Object({ timestamp_from_to: pair }, ONE_MEMBER),
  Type.Object({ timestamp_from: Int64 }, ONE_MEMBER),
  Type.Object({ timestamp_to: Int64 }, ONE_MEMBER),
  Type.Object({ storage_time_from_to: pair }, ONE_MEMBER),
  Type.Object({ storage_time_from: Int64 }, ONE_MEMBER),
  Type.Object({ storage_time_to: Int64 }, ONE_MEMBER),
  Type.Object({ limit: Uint64 }, ONE_MEMBER),
]);
export type Condition = Static<typeof Condition>;

/** All elements are combined with AND; `last` beats `limit`, the last `limit` counts. */
export const Conditions = conditionsOf(Condition);
