import { randomUUID } from 'node:crypto';
import { WebSocket } from 'ws';
import type { Acknowledged } from '../process/load.ts';
import { report } from '../process/reports.ts';

const PERIOD_MS = 1_000;

/** What honest agents saw. */
export interface Seen {
  readonly acknowledged: Acknowledged[];
  /** From sending to the answer, ms, one for each answer. */
  readonly waits: number[];
  /** Error answers and lost connections, as text. */
  readonly troubles: string[];
}

/** Agents that report a summary every second, each over a connection of its own, as those of the field do. */
export class SteadyAgents {
  readonly seen: Seen = { acknowledged: [], waits: [], troubles: [] };
  readonly #url: string;
  readonly #token: string;
  readonly #ends: (() => Promise<void>)[] = [];

  constructor(url: string, token: string) {
    this.#url = `${url.replace('http', 'ws')}/`;
    this.#token = token;
  }

  /** Connects one after the other, so that their seconds are spread. */
  async add(agents: number): Promise<void> {
    for (let n = 0; n < agents; n++) this.#ends.push(await this.#connect());
  }

  /** No more reports; waits for the answers that are due, up to 10 s. */
  async stop(): Promise<void> {
    await Promise.all(this.#ends.map((end) => end()));
  }

  async #connect(): Promise<() => Promise<void>> {
    const { seen } = this;
    const uuid = randomUUID();
    const due = new Map<number, { readonly time: number; readonly at: number }>();
    const socket = new WebSocket(this.#url, { perMessageDeflate: false });
    let time = Date.now();
    let id = 0;
    let ended = false;
    const send = () => {
      const sent = { time: ++time, at: performance.now() };
      due.set(++id, sent);
      const params = [this.#token, report('summary', uuid, sent.time)];
      const call = { jsonrpc: '2.0', id, method: 'agent_report_dynamic_summary', params };
      socket.send(JSON.stringify(call), () => undefined);
    };
    socket.on('message', (data) => {
      const answer = JSON.parse(String(data));
      const sent = due.get(answer.id);
      due.delete(answer.id);
      if (!sent) return;
      seen.waits.push(performance.now() - sent.at);
      if (answer.result?.status !== 'buffered') seen.troubles.push(JSON.stringify(answer));
      else seen.acknowledged.push({ kind: 'summary', uuid, time: sent.time });
    });
    socket.on('error', (error) => seen.troubles.push(error.message));
    socket.on('close', (code) => {
      if (!ended) seen.troubles.push(`closed with ${code}, ${due.size} reports unanswered`);
    });
    await new Promise((done) => socket.once('open', done).once('error', done));
    send();
    const timer = setInterval(send, PERIOD_MS);
    return async () => {
      clearInterval(timer);
      const deadline = Date.now() + 10_000;
      while (due.size > 0 && Date.now() < deadline) await new Promise((go) => setTimeout(go, 10));
      ended = true;
      for (const { time: lost } of due.values()) seen.troubles.push(`never answered: ${lost}`);
      socket.terminate();
    };
  }
}
