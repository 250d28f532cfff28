import type { RawJson } from '@svc/plugin-sdk/json';
import type { Integer } from '@svc/plugin-sdk/sql';
import type { AgentLine } from './agent-line.ts';
import type { Turn } from './turn.ts';

/** State of one task on this server. The README has the diagram, and the meaning and deadline of each state. */
export type State = 'new' | 'waiting' | 'asking' | 'queued' | 'moving' | 'sent' | End;

/** A delivery in one of these states is over, and this server forgets it. */
export type End = 'done' | 'handed' | 'refused' | 'failed';

/**
 * `room`, `full`: the agent is connected here, and its queue has a place or none. `elsewhere`, `absent`: another server has the
 * agent, or no server has it. `accepted`, `full`, `declined`, `lost`: another server's answer; `lost` is no answer.
 * `written`: the task is in the agent's socket. `answered`: a result came, or the row was deleted.
 * `closed`: the agent's connection ended. `expired`: the state's deadline passed, or the waiting caller left.
 */
export type Event =
  | 'room'
  | 'full'
  | 'elsewhere'
  | 'absent'
  | 'accepted'
  | 'declined'
  | 'lost'
  | 'written'
  | 'answered'
  | 'closed'
  | 'expired';

/** Every transition there is. */
export const transitions: { readonly [S in State]: { readonly [E in Event]?: State } } = {
  new: { room: 'queued', full: 'waiting', elsewhere: 'asking', absent: 'refused' },
  waiting: { room: 'queued', answered: 'done', closed: 'refused', expired: 'refused' },
  asking: { accepted: 'handed', declined: 'new', full: 'refused', lost: 'refused' },
  queued: { written: 'sent', answered: 'done', elsewhere: 'moving', absent: 'failed' },
  moving: { accepted: 'handed', lost: 'handed', declined: 'failed', full: 'failed' },
  sent: { answered: 'done', expired: 'done' },
  done: {},
  handed: {},
  refused: {},
  failed: {},
};

/** The state after an event. An event that the state does not name came too late and changes nothing. */
export const next = (state: State, event: Event): State => transitions[state][event] ?? state;

/** Reason why a task was not accepted for its agent. `ended`: the agent was connected when the delivery began. */
export type Refusal = 'absent' | 'ended' | 'full' | 'lost';

/** Outcome of a delivery for the creator of the task. */
export type Outcome = 'accepted' | Refusal;

const refusals: { readonly [E in Event]?: Refusal } = {
  closed: 'ended',
  expired: 'full',
  full: 'full',
  lost: 'lost',
};

/** Returns the reason why the event ended a delivery as `refused`. */
export const refusalOf = (event: Event, { asked }: Delivery): Refusal =>
  refusals[event] ?? (asked > 0 ? 'ended' : 'absent');

/** One stored task on its way. Only `Deliveries` changes it. */
export interface Delivery {
  readonly id: Integer;
  /** The agent, lower-case hyphenated. */
  readonly uuid: string;
  /** The notification's item; empty once it was sent. */
  item: RawJson;
  readonly turn: Turn;
  /** Longest time in the state `waiting`. */
  readonly patience_ms: number;
  /** Aborts when the caller leaves; the state `waiting` ends then. */
  readonly signal: AbortSignal | undefined;
  readonly outcome: Promise<Outcome>;
  /** Resolves `outcome`; only the first call counts. */
  readonly settle: (outcome: Outcome) => void;
  state: State;
  /** Number of times that other servers were asked to take the task. */
  asked: number;
  /** The agent's line in the states `waiting` and `queued`, and the one that sent it. */
  line?: AgentLine<Delivery> | undefined;
  /** Cancels the deadline of the present state. */
  cancel?: (() => void) | undefined;
}
