import type { Channel } from '../channel.ts';
import type { Clock } from '../clock.ts';
import type { ServerConfig } from '../config.ts';
import type { Refusal } from '../handshake.ts';
import { HourlyWarning } from '../hourly-warning.ts';
import type { Logger } from '../log.ts';
import { request } from '../rpc.ts';
import type { TaskKind } from '../task-kinds.ts';
import { registrationWait } from '../waits.ts';
import type { AgentChecks } from './checks.ts';
import { Results } from './results.ts';
import { type Measured, sentIn } from './wire.ts';

/** Ids of its requests; registrations for tasks have 1000. */
const REGISTER_ID = 1001;
const REPORT_ID = 1002;
/** Time between two reports, and from one without an answer to the next. */
const REPORT_MS = 5_000;
const ANSWER_MS = 30_000;
/** Time after which it registers again: a right that ended may have come back. */
const AGAIN_MS = 600_000;
const UNKNOWN_METHOD = -32601;
/** Errors by which the server says that it will never take what was sent. */
const FINAL = new Set<unknown>([-32602, 108]);

/** Kinds of tasks that checks of monitors need. */
const KINDS: readonly TaskKind[] = ['http_request', 'tcp_ping', 'ping', 'dns'];

export interface PlaceParts {
  readonly server: ServerConfig;
  readonly agent_uuid: string;
  readonly clock: Clock;
  readonly log: Logger;
  readonly ping_program: string;
  readonly random: () => number;
}

/** Checks the monitors that one server has placed at this agent, and reports to it what they measure. */
export class MonitorPlace {
  readonly #parts: PlaceParts;
  readonly #kinds: readonly TaskKind[];
  readonly #registers: boolean;
  readonly #results = new Results();
  readonly #refused: HourlyWarning;
  #checks: Promise<AgentChecks> | undefined;
  #loaded: AgentChecks | undefined;
  #channel: Channel | undefined;
  #sent: { readonly results: readonly Measured[]; readonly at: number } | undefined;
  #failures = 0;
  #cancelRegister = () => {};
  #cancelReport = () => {};
  #isEnded = false;

  constructor(parts: PlaceParts) {
    const { clock, log, server } = parts;
    this.#parts = parts;
    this.#kinds = server.allow_monitor
      ? KINDS.filter((kind) => server.allowed_tasks.has(kind))
      : [];
    // A refusal is told as well, else the server would send tasks in the place of checks.
    const { allow_task, allowed_tasks } = server;
    this.#registers =
      this.#kinds.length > 0 || (allow_task && KINDS.some((kind) => allowed_tasks.has(kind)));
    this.#refused = new HourlyWarning(clock, log, 'the server gives this agent no monitors');
  }

  /** Registers over a connection, and reports over it. Returns a function for its end. */
  attach(channel: Channel): () => void {
    if (!this.#registers) return () => {};
    this.#channel = channel;
    this.#failures = 0;
    this.#register(channel);
    this.#armReport(channel);
    return () => {
      this.#channel = undefined;
      this.#sent = undefined;
      this.#cancelRegister();
      this.#cancelReport();
      const silent_ms = this.#parts.clock.steady() - channel.heard_at;
      if (this.#loaded) this.#results.doubtSince(this.#loaded.now() - silent_ms);
    };
  }

  /** Takes an item of the subscription. */
  async receive(item: Record<string, unknown>): Promise<void> {
    const sent = sentIn(item);
    if (!sent || this.#kinds.length === 0) return;
    if (!this.#checks && sent.checks.length === 0) return;
    try {
      this.#checks ??= this.#load();
      const checks = await this.#checks;
      if (!this.#isEnded) checks.apply(sent);
    } catch (error) {
      this.#parts.log.error('monitors cannot be checked', { reason: String(error) });
    }
  }

  /** Takes the answer to one of its requests. @returns whether it was one */
  answered(id: unknown, error: Refusal | undefined): boolean {
    if (id === REGISTER_ID) this.#registered(error);
    else if (id === REPORT_ID) this.#reported(error);
    return id === REGISTER_ID || id === REPORT_ID;
  }

  /** Ends all checks. */
  end(): void {
    this.#isEnded = true;
    this.#loaded?.end();
  }

  async #load(): Promise<AgentChecks> {
    const { clock, log, ping_program, server } = this.#parts;
    const loaded = await import('./checks.ts');
    this.#loaded = new loaded.AgentChecks({
      ...{ clock, log, ping_program, allowed: server.allowed_tasks },
      isConnected: () => this.#channel !== undefined,
      measured: (one, isReached) => this.#results.add(one, isReached),
    });
    return this.#loaded;
  }

  #register(channel: Channel): void {
    const { agent_uuid, clock, random, server } = this.#parts;
    const params = JSON.stringify([server.token, agent_uuid, this.#kinds]);
    channel.send(request('monitor_register', params, REGISTER_ID));
    this.#failures += 1;
    this.#cancelRegister();
    const wait_ms = Math.max(ANSWER_MS, registrationWait(this.#failures, random));
    this.#cancelRegister = clock.after('monitors', wait_ms, () => this.#register(channel));
  }

  #registered(error: Refusal | undefined): void {
    const channel = this.#channel;
    if (!channel) return;
    const { clock, random } = this.#parts;
    this.#cancelRegister();
    // An older server, or one without monitors.
    if (error?.code === UNKNOWN_METHOD) return;
    if (error) this.#refused.log({ code: error.code, reason: error.message });
    else this.#failures = 0;
    const wait_ms = error ? registrationWait(this.#failures, random) : AGAIN_MS;
    this.#cancelRegister = clock.after('monitors', wait_ms, () => this.#register(channel));
  }

  #armReport(channel: Channel): void {
    this.#cancelReport = this.#parts.clock.after('results', REPORT_MS, () => {
      this.#report(channel);
      this.#armReport(channel);
    });
  }

  #report(channel: Channel): void {
    const { agent_uuid, clock, log, server } = this.#parts;
    const isAwaited = this.#sent && clock.steady() - this.#sent.at < ANSWER_MS;
    if (isAwaited || this.#results.size === 0 || channel.backlog > 0) return;
    const dropped = this.#results.takeDropped();
    const why = 'results of monitors were dropped: too many waited, or the server refused them';
    if (dropped > 0) log.warn(why, { dropped });
    const results = this.#results.next();
    this.#sent = { results, at: clock.steady() };
    const params = JSON.stringify([server.token, agent_uuid, results]);
    channel.send(request('monitor_report', params, REPORT_ID));
  }

  #reported(error: Refusal | undefined): void {
    const sent = this.#sent;
    if (error) {
      const reason = error.message;
      this.#refused.log({ code: error.code, reason });
    }
    if (!sent) return;
    // One that is refused for good takes no others with it; a server without monitors takes none.
    const isRefused = error && FINAL.has(error.code);
    if (error && !isRefused && error.code !== UNKNOWN_METHOD) return;
    this.#sent = undefined;
    const isSplit = isRefused && this.#results.refused(sent.results);
    if (!isRefused) this.#results.taken(sent.results);
    // What waited while the server was away goes at once.
    if (this.#channel && (isSplit || (!error && this.#results.isMuch))) this.#report(this.#channel);
  }
}
