import { randomUUID } from 'node:crypto';
import { WebSocket } from 'ws';

const BOOT_S = 1_790_000_000;
const RECONNECT_MS = 3_000;
const MB = 2 ** 20;

interface Answer {
  readonly id: number;
  readonly result?: { readonly status: string };
}

/** Faults of an agent of the soak. */
export interface Health {
  readonly name: string;
  readonly agents: number;
  /** Milliseconds between reports; default: 1,000. */
  readonly every_ms?: number;
  /** Milliseconds that the clock is ahead until `setRight`. */
  readonly ahead_ms?: number;
  /** Called about once a minute. */
  readonly mishap?: (agent: SoakAgent) => void;
}

/** An agent that counts what it sends, so that the server's figures can be compared with it. */
export class SoakAgent {
  readonly uuid = randomUUID();
  readonly health: Health;
  /** Bytes that the machine received since its first report. */
  received = 0;
  /** `used_memory` of the newest report that was answered. */
  answered = 0;
  /** The id of the last report. */
  #last = 0;
  /** Error answers. */
  readonly refused: string[] = [];
  readonly #url: string;
  readonly #token: string;
  #socket: WebSocket | undefined;
  #timer: NodeJS.Timeout | undefined;
  #ahead_ms: number;
  #boot = BOOT_S;
  #number = 0;
  #silentUntil = 0;
  #kept: object[] = [];
  #keepsUntil = 0;
  readonly #counters = new Map([['eth0', 50_000 * MB]]);
  readonly #waiting = new Map<number, number>();

  constructor(url: string, token: string, health: Health) {
    this.#url = url;
    this.#token = token;
    this.health = health;
    this.#ahead_ms = health.ahead_ms ?? 0;
    this.#connect();
    const every = health.every_ms ?? 1_000;
    this.#timer = setTimeout(() => this.#beat(every), Math.random() * every);
  }

  get unanswered(): number {
    return this.#waiting.size;
  }

  /** Sets the clock right, as a time server does; the kernel's boot time moves with it. */
  setRight(): void {
    this.#ahead_ms = 0;
  }

  /** Starts the machine again: it is silent for 8 s, and its counters begin anew. */
  reboot(): void {
    this.#silentUntil = Date.now() + 8_000;
    this.#boot += 3_600;
    this.#counters.clear();
    this.#counters.set('eth0', 0);
    this.#socket?.terminate();
  }

  /** Takes the interface of a container away, or brings a new one. */
  toggleContainer(): void {
    if (!this.#counters.delete('veth')) this.#counters.set('veth', 0);
  }

  /** Cuts the machine off for 8 s; then it sends what it kept, the newest report first. */
  cutOff(): void {
    this.#keepsUntil = Date.now() + 8_000;
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  close(): void {
    this.stop();
    this.#socket?.removeAllListeners('close');
    this.#socket?.close();
  }

  #beat(every: number): void {
    this.#timer = setTimeout(() => this.#beat(every), every);
    const now = Date.now();
    if (now < this.#silentUntil) return;
    const data = this.#report(now);
    if (now < this.#keepsUntil) this.#kept.push(data);
    else if (this.#socket?.readyState !== WebSocket.OPEN) return;
    else {
      this.#send([data]);
      if (this.#kept.length > 0) this.#send(this.#kept.splice(0));
    }
  }

  #report(now: number): object {
    const moved = this.#move(Math.floor(Math.random() * MB));
    if (this.#last > 0) this.received += moved;
    const total_received = [...this.#counters.values()].reduce((sum, bytes) => sum + bytes, 0);
    this.#number += 1;
    const boot_time = this.#boot + Math.round(this.#ahead_ms / 1_000);
    const time = now + this.#ahead_ms;
    const uptime = Math.floor(time / 1_000) - boot_time;
    const used_memory = this.#number;
    return {
      ...{ uuid: this.uuid, time, used_memory, uptime, boot_time },
      ...{ cpu_usage: 172, total_received, total_transmitted: total_received },
    };
  }

  /** Counts bytes for each interface and says how many. */
  #move(bytes: number): number {
    for (const [name, counted] of this.#counters) this.#counters.set(name, counted + bytes);
    return bytes * this.#counters.size;
  }

  #send(reports: object[]): void {
    const calls = reports.map((data) => {
      const id = ++this.#last;
      this.#waiting.set(id, (data as { used_memory: number }).used_memory);
      const params = [this.#token, data];
      return { jsonrpc: '2.0', id, method: 'agent_report_dynamic_summary', params };
    });
    this.#socket?.send(JSON.stringify(calls.length === 1 ? calls[0] : calls));
  }

  #connect(): void {
    const socket = new WebSocket(this.#url, { perMessageDeflate: false });
    this.#socket = socket;
    socket.on('message', (text) => this.#hear(JSON.parse(String(text))));
    // 'close' follows.
    socket.on('error', () => undefined);
    socket.on('close', () => {
      // Whether these were stored nobody knows.
      this.#waiting.clear();
      if (this.#timer) setTimeout(() => this.#connect(), RECONNECT_MS).unref();
    });
  }

  #hear(heard: Answer | Answer[]): void {
    for (const answer of [heard].flat()) {
      const number = this.#waiting.get(answer.id) ?? 0;
      this.#waiting.delete(answer.id);
      if (answer.result?.status === 'buffered') this.answered = Math.max(this.answered, number);
      else this.refused.push(JSON.stringify(answer));
    }
  }
}
