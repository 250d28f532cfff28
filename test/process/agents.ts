import { randomUUID } from 'node:crypto';
import { WebSocket } from 'ws';
import type { Member } from './fleet.ts';
import type { Acknowledged } from './load.ts';
import { report } from './reports.ts';

const REPORT_MS = 500;
/** Agents of the field wait three seconds; these show what the servers make of it. */
const RECONNECT_MS = 100;

/** What became of the agents' reports and tasks. */
export interface AgentsLog {
  readonly acknowledged: Acknowledged[];
  /** Error answers to reports, as text. */
  readonly refused: string[];
  /** Tasks received, by id: each must come once. */
  readonly received: Map<number, number>;
  /** Close codes, one per lost connection. */
  readonly closes: number[];
}

/** An agent as far as several servers go: it reports, answers its tasks at once, and connects again elsewhere. */
export class RoamingAgent {
  readonly uuid = randomUUID();
  /** The server that it is registered on. */
  member: Member | undefined;
  readonly #members: readonly Member[];
  readonly #token: string;
  readonly #log: AgentsLog;
  readonly #outstanding = new Map<number, (answer: any) => void>();
  #socket: WebSocket | undefined;
  #timer: NodeJS.Timeout | undefined;
  #lastId = 0;
  #time = Date.now();
  #stopped = false;

  constructor(members: readonly Member[], token: string, log: AgentsLog) {
    this.#members = members;
    this.#token = token;
    this.#log = log;
    this.#connect();
  }

  /** Ends the reports and waits for their answers, up to 30 s. */
  async stop(): Promise<void> {
    this.#stopped = true;
    clearTimeout(this.#timer);
    const deadline = Date.now() + 30_000;
    while (this.member && this.#outstanding.size > 0 && Date.now() < deadline) await pause(10);
    this.#socket?.close();
  }

  /** Does not come back when its connection is lost, as a machine that goes down with its server. */
  perish(): void {
    this.#stopped = true;
  }

  #connect(): void {
    const up = this.#members.filter((member) => member.process);
    const member = up[Math.floor(Math.random() * up.length)];
    if (this.#stopped) return;
    if (!member) {
      this.#timer = setTimeout(() => this.#connect(), RECONNECT_MS);
      return;
    }
    const url = `${member.site.url.replace('http', 'ws')}/`;
    const socket = new WebSocket(url, { perMessageDeflate: false });
    this.#socket = socket;
    socket.on('open', () => this.#register(member));
    socket.on('message', (data) => this.#hear(JSON.parse(String(data))));
    // A lost connection is what this is about; 'close' follows.
    socket.on('error', () => undefined);
    socket.on('close', (code) => this.#lost(code));
  }

  #lost(code: number): void {
    this.#log.closes.push(code);
    this.member = undefined;
    this.#outstanding.clear();
    clearTimeout(this.#timer);
    if (!this.#stopped) {
      this.#timer = setTimeout(() => this.#connect(), RECONNECT_MS * (0.5 + Math.random()));
    }
  }

  #register(member: Member): void {
    this.#call('task_register_task', [this.#token, this.uuid], ({ error }) => {
      if (error) throw new Error(`registration: ${error.message}`);
      this.member = member;
      this.#timer = setTimeout(() => this.#report(), Math.random() * REPORT_MS);
    });
  }

  #report(): void {
    const time = ++this.#time;
    const params = [this.#token, report('summary', this.uuid, time)];
    this.#call('agent_report_dynamic_summary', params, (answer) => {
      if (answer.result?.status !== 'buffered') this.#log.refused.push(JSON.stringify(answer));
      else this.#log.acknowledged.push({ kind: 'summary', uuid: this.uuid, time });
    });
    this.#timer = setTimeout(() => this.#report(), REPORT_MS);
  }

  #hear(frame: any): void {
    const answered = this.#outstanding.get(frame.id);
    this.#outstanding.delete(frame.id);
    if (answered) answered(frame);
    else if (frame.method === 'task_register_task') this.#carryOut(frame.params.result);
  }

  #carryOut({ task_id, task_token }: { task_id: number; task_token: string }): void {
    const { received } = this.#log;
    received.set(task_id, (received.get(task_id) ?? 0) + 1);
    const result = {
      task_id,
      agent_uuid: this.uuid,
      task_token,
      timestamp: Date.now(),
      success: true,
      error_message: null,
      task_event_result: { ip: ['198.51.100.23', null] },
    };
    this.#call('task_upload_task_result', [this.#token, result], () => {});
  }

  #call(method: string, params: unknown, answered: (answer: any) => void): void {
    const id = ++this.#lastId;
    this.#outstanding.set(id, answered);
    this.#socket?.send(JSON.stringify({ jsonrpc: '2.0', id, method, params }), () => undefined);
  }
}

const pause = (ms: number): Promise<void> => new Promise((done) => setTimeout(done, ms));
