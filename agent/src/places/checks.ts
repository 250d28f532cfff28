import {
  type Checked,
  type CheckSpec,
  DOWN,
  type Outcome,
  PlaceChecks,
  type PlacedMonitor,
  plainDoor,
  type Result,
  Runner,
  type State,
  vocabularyOf,
  withPing,
} from '@svc/checks';
import { compile } from '@svc/conditions';
import { type Clock, checkClock } from '../clock.ts';
import type { Logger } from '../log.ts';
import type { TaskKind } from '../task-kinds.ts';
import { version } from '../version.ts';
import type { Measured, Sent, SentCheck } from './wire.ts';

/** Monitors of one server, and checks of it that run at a time. */
const MOST_MONITORS = 2_000;
const CONCURRENT = 20;
const ROUND_MS = 1_000;
/** Shortest times that a server may ask for, s, and the longest check. */
const LEAST_S = 5;
const MOST_TIMEOUT_S = 60;
/** Without an answer of any target for so long, and without the server, this agent is cut off, ms. */
const ALONE_MS = 60_000;
/** Unused: what an agent says of itself has no place. */
const OWN_PLACE = 0;

/** Kinds of tasks that reach what a check reaches. */
const TASKS = new Map<unknown, TaskKind>([
  ['http', 'http_request'],
  ['tcp', 'tcp_ping'],
  ['tls', 'tcp_ping'],
  ['ping', 'ping'],
  ['dns', 'dns'],
]);

export interface AgentChecksParts {
  readonly clock: Clock;
  readonly log: Logger;
  readonly ping_program: string;
  readonly allowed: ReadonlySet<TaskKind>;
  /** Tells whether the server is connected. */
  readonly isConnected: () => boolean;
  readonly measured: (one: Measured, isReached: boolean) => void;
}

/** Checks that one server has placed at this agent. It is loaded with the first of them. */
export class AgentChecks {
  readonly #parts: AgentChecksParts;
  readonly #checks: PlaceChecks;
  readonly #runner: Runner;
  readonly #placed = new Map<number, Checked>();
  /** Certificates that were told last, by monitor. */
  readonly #certificates = new Map<number, string>();
  /** Time of the server less that of this machine, ms. */
  #offset = 0;
  #reachedAt = Number.NEGATIVE_INFINITY;
  #cancel: (() => void) | undefined;

  constructor(parts: AgentChecksParts) {
    const { clock, log, ping_program, isConnected } = parts;
    this.#parts = parts;
    const network = withPing(plainDoor, ping_program);
    const own = { ...checkClock(clock, 'check'), now: () => this.now() };
    this.#runner = new Runner(own, () => CONCURRENT);
    this.#checks = new PlaceChecks({
      ...{ clock: own, place_id: OWN_PLACE, user_agent: `svc-monitor/${version()}` },
      log: {
        error: (text, facts) => log.error(text, { ...facts, error: String(facts?.['error']) }),
      },
      networkOf: () => network,
      isAlone: () => !isConnected() && clock.steady() - this.#reachedAt >= ALONE_MS,
      sink: {
        seen: async (result, _from, to, outcome) => this.#seen(result, to, outcome),
        isolated: (isIsolated) =>
          log.warn(
            isIsolated ? 'this machine reaches no target of monitors' : 'targets are reached again',
          ),
      },
    });
  }

  /** Unix ms of the server. */
  now(): number {
    return this.#parts.clock.now() + this.#offset;
  }

  /** Takes what the server sent. */
  apply({ time, whole, checks, gone, now }: Sent): void {
    this.#offset = time - this.#parts.clock.now();
    if (whole) this.#placed.clear();
    for (const id of gone) this.#placed.delete(id);
    for (const check of checks) this.#place(check);
    const ids = new Set(this.#placed.keys());
    for (const id of this.#certificates.keys()) if (!ids.has(id)) this.#certificates.delete(id);
    this.#checks.keep(ids);
    this.#runner.set([...this.#placed.values()].map((one) => this.#checks.jobOf(one)));
    for (const id of now) this.#runner.now(id);
    if (this.#placed.size === 0) this.#pause();
    else if (!this.#cancel) this.#arm();
  }

  /** Ends all checks. */
  end(): void {
    this.#pause();
    this.#runner.end();
  }

  #place(check: SentCheck): void {
    const { monitor: id, condition, host, spec } = check;
    const { allowed, log } = this.#parts;
    this.#certificates.delete(id);
    this.#placed.delete(id);
    const task = TASKS.get(spec.kind);
    if (!task || !allowed.has(task) || this.#placed.size === MOST_MONITORS) return;
    const compiled = compile(condition, vocabularyOf((spec as CheckSpec).kind));
    if ('faults' in compiled) {
      const [fault] = compiled.faults;
      log.warn('a monitor is not checked: its condition cannot be read', {
        ...{ monitor: id, reason: fault?.message },
      });
      return;
    }
    const monitor = limited(check);
    this.#placed.set(id, { monitor, spec: spec as CheckSpec, condition: compiled.condition, host });
  }

  #seen({ at, ok, ms, code, detail }: Result, to: State, outcome: Outcome): State {
    const { clock, measured } = this.#parts;
    const { monitor_id: monitor } = to;
    const isReached = outcome.heard === undefined && !outcome.isUnknown;
    if (isReached) this.#reachedAt = clock.steady();
    const retries = this.#placed.get(monitor)?.monitor.retries ?? 0;
    const isDoubtful = ok === false && to.state !== DOWN && to.fails > retries;
    const certificate = this.#newCertificate(monitor, outcome);
    const one: Measured = {
      ...{ monitor, at, ok, ms, code },
      // A server refuses a text that was cut within a character.
      detail: detail?.toWellFormed() ?? null,
      ...(isDoubtful && { doubtful: true }),
      ...(certificate && { certificate }),
    };
    measured(one, isReached);
    return to;
  }

  /** Returns certificates that are other ones than those that were told last. */
  #newCertificate(monitor: number, { certificate }: Outcome): Outcome['certificate'] {
    if (!certificate) return undefined;
    const { valid, chain, missing } = certificate;
    const text = JSON.stringify([valid, chain.map(({ fingerprint }) => fingerprint), missing]);
    if (this.#certificates.get(monitor) === text) return undefined;
    this.#certificates.set(monitor, text);
    return certificate;
  }

  #arm(): void {
    this.#cancel = this.#parts.clock.after('checks', ROUND_MS, () => {
      this.#runner.round();
      this.#arm();
    });
  }

  #pause(): void {
    this.#cancel?.();
    this.#cancel = undefined;
  }
}

/** Only so often, and for so long, as this agent lets any server. */
const limited = (check: SentCheck): PlacedMonitor => ({
  id: check.monitor,
  version: check.version,
  interval_s: Math.max(LEAST_S, check.interval_s),
  timeout_s: Math.min(MOST_TIMEOUT_S, Math.max(1, check.timeout_s)),
  retries: check.retries,
  retry_s: Math.max(LEAST_S, check.retry_s),
  recover_after: check.recover_after,
  upside_down: check.upside_down === true,
});
