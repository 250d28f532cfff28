import { canonicalUuid, type Static, Type, Uuid } from '@svc/plugin-sdk';
import { Int64, Uint64 } from '@svc/plugin-sdk/schemas';
import {
  type Building,
  conditionsOf,
  Flag,
  flagged,
  type Integer,
  isEmptyRange,
  membersOf,
  narrow,
  ONE_MEMBER,
  timesOf,
} from '@svc/plugin-sdk/sql';

/** One element of a condition list (task.md §4.8). */
export const Condition = Type.Union([
  Type.Enum(['is_success', 'is_failure', 'is_running', 'is_manual', 'last']),
  Type.Object({ is_success: Flag }, ONE_MEMBER),
  Type.Object({ is_failure: Flag }, ONE_MEMBER),
  Type.Object({ is_running: Flag }, ONE_MEMBER),
  Type.Object({ is_manual: Flag }, ONE_MEMBER),
  Type.Object({ last: Flag }, ONE_MEMBER),
  Type.Object({ task_id: Uint64 }, ONE_MEMBER),
  Type.Object({ uuid: Uuid }, ONE_MEMBER),
  Type.Object({ timestamp_from_to: Type.Tuple([Int64, Int64]) }, ONE_MEMBER),
  Type.Object({ timestamp_from: Int64 }, ONE_MEMBER),
  Type.Object({ timestamp_to: Int64 }, ONE_MEMBER),
  Type.Object({ type: Type.String() }, ONE_MEMBER),
  Type.Object({ cron_source: Type.String() }, ONE_MEMBER),
  Type.Object({ limit: Uint64 }, ONE_MEMBER),
]);
export type Condition = Static<typeof Condition>;

export const Conditions = conditionsOf(Condition);

/** State of a task: how it ended, and whether a job made it. */
export type State = 'success' | 'failure' | 'running' | 'ended' | 'manual' | 'scheduled';

/** A condition list, read once. Each set holds distinct values; two of one kind match nothing. */
export interface Filter {
  readonly ids: ReadonlySet<Integer>;
  readonly uuids: ReadonlySet<string>;
  readonly types: ReadonlySet<string>;
  readonly cronSources: ReadonlySet<string>;
  readonly states: ReadonlySet<State>;
  readonly from: Integer | undefined;
  readonly to: Integer | undefined;
  /** Rows at most, newest first; undefined: neither `limit` nor `last` was given. `last` is 1. */
  readonly limit: Integer | undefined;
}

/** Reads a list that passed `Conditions`. */
export function filterOf(conditions: readonly Condition[]): Filter {
  const filter: Building<Filter> = {
    ids: new Set(),
    uuids: new Set(),
    types: new Set(),
    cronSources: new Set(),
    states: new Set(),
    from: undefined,
    to: undefined,
    limit: undefined,
  };
  let last = false;
  for (const [name, value] of membersOf(conditions)) {
    if (name === 'last') last ||= value !== false;
    else addCondition(filter, name, value);
  }
  return last ? { ...filter, limit: 1 } : filter;
}

function addCondition(filter: Building<Filter>, name: string, value: unknown): void {
  switch (name) {
    case 'is_success':
      filter.states.add(flagged(value, 'success', 'failure'));
      break;
    case 'is_failure':
      filter.states.add(flagged(value, 'failure', 'success'));
      break;
    case 'is_running':
      filter.states.add(flagged(value, 'running', 'ended'));
      break;
    case 'is_manual':
      filter.states.add(flagged(value, 'manual', 'scheduled'));
      break;
    case 'task_id':
      filter.ids.add(value as Integer);
      break;
    case 'uuid':
      filter.uuids.add(canonicalUuid(value as string));
      break;
    case 'type':
      filter.types.add(value as string);
      break;
    case 'cron_source':
      filter.cronSources.add(value as string);
      break;
    case 'limit':
      filter.limit = value as Integer;
      break;
    default:
      narrow(filter, timesOf(name, value));
  }
}

const INT64_MAX = 2n ** 63n - 1n;

/** Tells whether no row can match, whatever the table holds. */
export function matchesNothing({ ids, uuids, types, cronSources, from, to, limit }: Filter) {
  const several = [ids, uuids, types, cronSources].some(({ size }) => size > 1);
  const [id] = ids;
  const texts = [...types, ...cronSources];
  return (
    several ||
    limit === 0 ||
    isEmptyRange({ from, to }) ||
    (id !== undefined && id > INT64_MAX) ||
    texts.some((text) => text.includes('\0'))
  );
}
