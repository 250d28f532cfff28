import { type Static, Type } from '@svc/plugin-sdk';
import { Int64, Uint64 } from '@svc/plugin-sdk/schemas';
import {
  type Building,
  conditionsOf,
  type Integer,
  membersOf,
  narrow,
  ONE_MEMBER,
  type TimeRange,
  timesOf,
} from '@svc/plugin-sdk/sql';

const range = Type.Tuple([Int64, Int64]);

/** One element of a condition list (js-worker.md §5.3). */
export const Condition = Type.Union([
  Type.Enum(['is_success', 'is_failure', 'is_running', 'last']),
  Type.Object({ is_success: Type.Null() }, ONE_MEMBER),
  Type.Object({ is_failure: Type.Null() }, ONE_MEMBER),
  Type.Object({ is_running: Type.Null() }, ONE_MEMBER),
  // The dashboard's filter for successes.
  Type.Object({ error_message: Type.Null() }, ONE_MEMBER),
  Type.Object({ last: Type.Null() }, ONE_MEMBER),
  Type.Object({ id: Int64 }, ONE_MEMBER),
  Type.Object({ js_worker_id: Int64 }, ONE_MEMBER),
  Type.Object({ js_worker_name: Type.String() }, ONE_MEMBER),
  Type.Object({ run_type: Type.String() }, ONE_MEMBER),
  Type.Object({ start_time_from_to: range }, ONE_MEMBER),
  Type.Object({ start_time_from: Int64 }, ONE_MEMBER),
  Type.Object({ start_time_to: Int64 }, ONE_MEMBER),
  Type.Object({ finish_time_from_to: range }, ONE_MEMBER),
  Type.Object({ finish_time_from: Int64 }, ONE_MEMBER),
  Type.Object({ finish_time_to: Int64 }, ONE_MEMBER),
  Type.Object({ limit: Uint64 }, ONE_MEMBER),
]);
export type Condition = Static<typeof Condition>;

/** The parameter `query` of both methods. */
export const Query = Type.Object({
  condition: conditionsOf(Condition),
});

export type State = 'is_success' | 'is_failure' | 'is_running';
export type Equality = 'id' | 'js_worker_id' | 'js_worker_name' | 'run_type';

/** A condition list, read once. */
export interface Filter {
  readonly equals: readonly (readonly [column: Equality, value: Integer | string])[];
  readonly start: TimeRange;
  readonly finish: TimeRange;
  readonly states: ReadonlySet<State>;
  /** Rows at most: `last`, or the `limit` given last. */
  readonly limit: Integer | undefined;
  /** Distinct values of `js_worker_name`. */
  readonly names: ReadonlySet<string>;
}

/** Reads a list that passed `Query`. */
export function filterOf(conditions: readonly Condition[]): Filter {
  // Of what is asked for again one term stays: a database takes no thousand terms in one statement.
  const equals = new Map<string, Filter['equals'][number]>();
  const start: Building<TimeRange> = { from: undefined, to: undefined };
  const finish: Building<TimeRange> = { from: undefined, to: undefined };
  const states = new Set<State>();
  let limit: Integer | undefined;
  let last = false;
  for (const [name, value] of membersOf(conditions)) {
    if (name === 'last') last = true;
    else if (name === 'limit') limit = value as Integer;
    else if (name === 'error_message') states.add('is_success');
    else if (name.startsWith('is_')) states.add(name as State);
    else if (name.includes('_time_'))
      narrow(name.startsWith('start') ? start : finish, timesOf(name, value));
    else equals.set(`${name} ${value}`, [name as Equality, value as Integer | string]);
  }
  const names = [...equals.values()].flatMap(([column, value]) =>
    column === 'js_worker_name' ? [String(value)] : [],
  );
  return {
    equals: [...equals.values()],
    start,
    finish,
    states,
    limit: last ? 1 : limit,
    names: new Set(names),
  };
}
