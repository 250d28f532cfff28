import { type Static, Type } from '@svc/plugin-sdk';
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

/** One element of a condition list. */
export const Condition = Type.Union([
  Type.Enum(['is_success', 'is_failure', 'last']),
  Type.Object({ is_success: Flag }, ONE_MEMBER),
  Type.Object({ is_failure: Flag }, ONE_MEMBER),
  Type.Object({ last: Type.Null() }, ONE_MEMBER),
  Type.Object({ id: Int64 }, ONE_MEMBER),
  Type.Object({ cron_id: Int64 }, ONE_MEMBER),
  Type.Object({ cron_name: Type.String() }, ONE_MEMBER),
  Type.Object({ run_time_from_to: Type.Tuple([Int64, Int64]) }, ONE_MEMBER),
  Type.Object({ run_time_from: Int64 }, ONE_MEMBER),
  Type.Object({ run_time_to: Int64 }, ONE_MEMBER),
  Type.Object({ limit: Uint64 }, ONE_MEMBER),
]);
export type Condition = Static<typeof Condition>;

/** The parameter `query` of both methods. */
export const Query = Type.Object({
  condition: conditionsOf(Condition),
});

/** A condition list, read once. Each set holds distinct values; two of one kind match nothing. */
export interface Filter {
  readonly ids: ReadonlySet<Integer>;
  /** Job ids. */
  readonly jobs: ReadonlySet<Integer>;
  readonly names: ReadonlySet<string>;
  readonly states: ReadonlySet<'success' | 'failure'>;
  readonly from: Integer | undefined;
  readonly to: Integer | undefined;
  /** The `limit` given last. */
  readonly limit: Integer | undefined;
  /** `decides`: given, and no `limit` follows it. */
  readonly last: 'decides' | 'given' | undefined;
}

/** Reads a list that passed `Query`. */
export function filterOf(conditions: readonly Condition[]): Filter {
  const filter: Building<Filter> = {
    ids: new Set(),
    jobs: new Set(),
    names: new Set(),
    states: new Set(),
    from: undefined,
    to: undefined,
    limit: undefined,
    last: undefined,
  };
  for (const [name, value] of membersOf(conditions)) addCondition(filter, name, value);
  return filter;
}

function addCondition(filter: Building<Filter>, name: string, value: unknown): void {
  switch (name) {
    case 'is_success':
      filter.states.add(flagged(value, 'success', 'failure'));
      break;
    case 'is_failure':
      filter.states.add(flagged(value, 'failure', 'success'));
      break;
    case 'last':
      filter.last = 'decides';
      break;
    case 'limit':
      filter.limit = value as Integer;
      if (filter.last) filter.last = 'given';
      break;
    case 'id':
      filter.ids.add(value as Integer);
      break;
    case 'cron_id':
      filter.jobs.add(value as Integer);
      break;
    case 'cron_name':
      filter.names.add(value as string);
      break;
    default:
      narrow(filter, timesOf(name, value));
  }
}

/** Tells whether no row can match, whatever the table holds. */
export function matchesNothing({ ids, jobs, names, states, from, to }: Filter): boolean {
  return (
    [ids, jobs, names, states].some(({ size }) => size > 1) ||
    isEmptyRange({ from, to }) ||
    // No name of a job holds these characters, and the databases refuse some of them as a value.
    [...names].some((name) => /[\p{Cc}\p{Cs}]/u.test(name))
  );
}
