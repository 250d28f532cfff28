import { CatchUp } from './catch-up.ts';
import { type Channel, dial, type Frame } from './channel.ts';
import { type Clock, sleep } from './clock.ts';
import type { ServerConfig } from './config.ts';
import { ErrorLog } from './error-log.ts';
import { checkServerUuid, type Refusal, registerForTasks, WrongServer } from './handshake.ts';
import { watchLiveness } from './liveness.ts';
import { type Logger, withFields } from './log.ts';
import { Outbox } from './outbox.ts';
import { MonitorPlace } from './places/place.ts';
import { REGISTRATION_ID, TaskRegistration } from './registration.ts';
import { type Downlink, readDownlink, request } from './rpc.ts';
import type { Report, Spool } from './spool.ts';
import type { TaskRuntime } from './task-context.ts';
import { TaskRunner } from './task-runner.ts';
import { passTrial } from './trial.ts';
import { LOST_WAIT_MS, retryWait, WRONG_SERVER_WAIT_MS } from './waits.ts';

export interface LinkOptions {
  readonly server: ServerConfig;
  readonly agent_uuid: string;
  readonly connect_timeout_ms: number;
  readonly clock: Clock;
  /** Unix ms with the measured clock offset. */
  readonly time: () => number;
  readonly log: Logger;
  readonly runtime: TaskRuntime;
  /** Spool for the reports while the server is away; absent: the newest 32 wait in memory. */
  readonly spool?: Spool | undefined;
  readonly random?: () => number;
}

/** Interval at which one of the full reports, which are large, is stored on the disk. */
const SPOOL_FULL_EVERY_MS = 60_000;
/** Time after which an unchanged document is put again: its age shows that the agent lives. */
const PUT_AGAIN_MS = 600_000;
/** A connection that breaks again and again brings the static data once in this time. */
const SEND_STATIC_EVERY_MS = 60_000;

/** The connection to one server: connects, identifies itself, sends, and reconnects after every end (clients.md §2.4, §2.5). */
export class Link {
  readonly #options: LinkOptions;
  readonly #log: Logger;
  readonly #errors: ErrorLog;
  readonly #outbox: Outbox;
  readonly #tasks: TaskRunner;
  readonly #registration: TaskRegistration;
  readonly #place: MonitorPlace;
  readonly #tokenJson: string;
  /** Failed attempts since the last working connection. */
  #failures = 0;
  #catchUp: CatchUp | undefined;
  readonly #documents = new Map<string, { text: string; put_at: number }>();
  #fullSpooled_at = Number.NEGATIVE_INFINITY;
  /** Tells whether the static data was sent on this connection. */
  #isStaticSent = false;
  #staticSent_at = Number.NEGATIVE_INFINITY;

  constructor(options: LinkOptions) {
    const { server, agent_uuid, clock, time, runtime, random = Math.random } = options;
    this.#options = options;
    this.#outbox = new Outbox(options.spool && ((report) => this.#spoolReport(report)));
    this.#log = withFields(options.log, { server: server.name });
    this.#errors = new ErrorLog(clock, this.#log);
    this.#tokenJson = JSON.stringify(server.token);
    const { ping_program } = runtime;
    const shared = { server, agent_uuid, clock, log: this.#log, random };
    this.#place = new MonitorPlace({ ...shared, ping_program });
    const upload = (response: string) => this.#upload(response);
    this.#tasks = new TaskRunner({ server, agent_uuid, time, upload, runtime, log: this.#log });
    this.#registration = new TaskRegistration(shared);
  }

  get server(): ServerConfig {
    return this.#options.server;
  }

  /** Tells whether there is a connection that has not had the static data, nor did the one before it within the last minute. */
  get isStaticDue(): boolean {
    const passed_ms = this.#options.clock.steady() - this.#staticSent_at;
    return this.#outbox.isAttached && !this.#isStaticSent && passed_ms >= SEND_STATIC_EVERY_MS;
  }

  /** Queues a call `[token, data]`; `data` is JSON text. Never waits, so a slow server does not delay the others. */
  post(method: string, data: string): void {
    this.#outbox.post(this.#compose({ method, data }), { report: { method, data } });
    if (method === 'agent_report_static' && this.#outbox.isAttached) {
      this.#isStaticSent = true;
      this.#staticSent_at = this.#options.clock.steady();
    }
  }

  /** Puts a document into the key-value namespace of the agent, unless it is there. Without a connection it is left out. */
  putDocument(key: string, content: object): void {
    const { agent_uuid, clock, time } = this.#options;
    const text = JSON.stringify(content);
    const put_at = clock.steady();
    const earlier = this.#documents.get(key);
    if (earlier?.text === text && put_at - earlier.put_at < PUT_AGAIN_MS) return;
    const names = `${this.#tokenJson},${JSON.stringify(agent_uuid)},${JSON.stringify(key)}`;
    const params = `[${names},${JSON.stringify({ time: time(), ...content })}]`;
    if (this.#outbox.sendNow(request('kv_set_value', params))) {
      this.#documents.set(key, { text, put_at });
    }
  }

  #compose({ method, data }: Report, id = 1): string {
    return request(method, `[${this.#tokenJson},${data}]`, id);
  }

  /** Puts a report on the disk. Static data is sent again anyway. */
  #spoolReport(report: Report): void {
    if (report.method === 'agent_report_static') return;
    if (report.method === 'agent_report_dynamic') {
      const now = this.#options.clock.steady();
      if (now - this.#fullSpooled_at < SPOOL_FULL_EVERY_MS) return;
      this.#fullSpooled_at = now;
    }
    this.#options.spool?.add(report);
  }

  #upload(response: string): void {
    const text = request('task_upload_task_result', `[${this.#tokenJson},${response}]`);
    this.#outbox.post(text, { isUnique: true });
  }

  /** Ends the tasks of this server and answers them. Resolves when all of them have ended. */
  endTasks(reason: string): Promise<void> {
    return this.#tasks.stop(reason);
  }

  /** Keeps the connection up until the signal aborts. Never rejects. */
  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const wait_ms = await this.#connectOnce(signal);
      await sleep(this.#options.clock, 'reconnect', wait_ms, signal);
    }
    this.#place.end();
    this.#outbox.close();
    await this.#options.spool?.settle();
  }

  /** One connection from beginning to end. Returns the wait before the next one. */
  async #connectOnce(signal: AbortSignal): Promise<number> {
    try {
      const reason = await this.#session(signal);
      if (!signal.aborted) this.#log.warn('connection lost', { reason, wait_ms: LOST_WAIT_MS });
      return LOST_WAIT_MS;
    } catch (error) {
      if (signal.aborted) return 0;
      const reason = this.#withoutToken(error instanceof Error ? error.message : String(error));
      const wait_ms = this.#waitAfter(error);
      this.#log.warn('no connection', { reason, wait_ms });
      return wait_ms;
    }
  }

  #waitAfter(error: unknown): number {
    if (error instanceof WrongServer) return WRONG_SERVER_WAIT_MS;
    // A refused handshake counts as well: an immediate reconnect would repeat over a thousand times per second.
    this.#failures += 1;
    return retryWait(this.#failures, this.#options.random ?? Math.random);
  }

  async #session(signal: AbortSignal): Promise<string> {
    const { server, agent_uuid, connect_timeout_ms, clock } = this.#options;
    const channel = await dial(server, clock, connect_timeout_ms, signal);
    const stop = () => channel.close();
    signal.addEventListener('abort', stop);
    try {
      await checkServerUuid(channel, server);
      const refusal = server.allow_task && (await registerForTasks(channel, server, agent_uuid));
      this.#failures = 0;
      return await this.#serve(channel, signal, refusal || undefined);
    } finally {
      signal.removeEventListener('abort', stop);
      if (!signal.aborted) channel.terminate();
    }
  }

  async #serve(
    channel: Channel,
    signal: AbortSignal,
    refusal: Refusal | undefined,
  ): Promise<string> {
    const { server, clock } = this.#options;
    passTrial();
    void this.#settleTrust();
    if (refusal?.isOpen) this.#outbox.expectAnswer();
    this.#log.info('connected', this.#outbox.attach(channel));
    this.#documents.clear();
    this.#isStaticSent = false;
    channel.listen((frame) => this.#receive(frame));
    const detach = () => this.#outbox.detach({ isBroken: !signal.aborted });
    const undo = [detach, watchLiveness(channel, clock), this.#place.attach(channel)];
    if (server.allow_task) undo.push(this.#registration.maintain(channel, this.#cleaned(refusal)));
    const late = this.#sendLate(channel);
    try {
      return await channel.closed;
    } finally {
      for (const step of undo) step();
      await late;
    }
  }

  /** Settles the trust of the agent with the server that the file names first: only that one has installed it. */
  async #settleTrust(): Promise<void> {
    const { server, runtime } = this.#options;
    const isFirst = runtime.config.servers[0]?.name === server.name;
    if (!isFirst || process.env['SVC_AGENT_BUNDLE'] === undefined) return;
    const { settleTrust } = await import('./signed/own-trust.ts');
    await settleTrust(server, this.#log);
  }

  /** Sends the reports that wait on the disk, until the connection ends. */
  async #sendLate(channel: Channel): Promise<void> {
    const { spool, clock, random = Math.random } = this.#options;
    if (!spool) return;
    const compose = (report: Report, id: number) => this.#compose(report, id);
    this.#catchUp = new CatchUp({ spool, channel, clock, log: this.#log, compose, random });
    await this.#catchUp.run();
  }

  #receive(frame: Frame): void {
    if (frame.kind !== 'text') return;
    const message = readDownlink(frame.text);
    if (message.kind === 'task' && this.#options.server.allow_task) {
      this.#tasks.receive(message.notification);
    }
    if (message.kind === 'monitors') void this.#place.receive(message.item);
    if (message.kind === 'result' || message.kind === 'error') this.#answered(message);
  }

  #answered(answer: Extract<Downlink, { id: unknown }>): void {
    const { id } = answer;
    const error = answer.kind === 'error' ? answer : undefined;
    if (id === REGISTRATION_ID) {
      this.#registration.answered(this.#cleaned(error));
      return;
    }
    if (this.#place.answered(id, this.#cleaned(error))) return;
    if (id === 1) this.#outbox.answered();
    else if (typeof id === 'number') this.#catchUp?.answered(id, error?.code);
    if (error) this.#errors.log(error.code, this.#withoutToken(error.message));
  }

  #cleaned(refusal: Refusal | undefined): Refusal | undefined {
    return refusal && { ...refusal, message: this.#withoutToken(refusal.message) };
  }

  #withoutToken(text: string): string {
    const { token } = this.#options.server;
    return (token ? text.replaceAll(token, '***') : text).slice(0, 500);
  }
}
