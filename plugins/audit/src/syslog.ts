import { readFileSync } from 'node:fs';
import type { Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { Egress, type EgressClient } from '@svc/plugin-egress/api';
import { type Kernel, UserError } from '@svc/plugin-sdk';
import { Throttle, within } from '@svc/plugin-sdk/util';
import type { Chain } from './chain.ts';
import { lineOf, ORIGIN, type Row } from './entry.ts';
import type { ChainRow, Store } from './store.ts';
import { frameOf, senderOf } from './syslog-line.ts';

const CONNECT_MS = 10_000;
/** Time without progress after which a receiver counts as disconnected. */
const WRITE_MS = 30_000;
/** Time after which sent rows count as received when a connection breaks: TCP does not confirm what was read. */
const CONFIRM_MS = 5_000;
const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 30_000;
const STOP_MS = 3_000;
const PAGE_ROWS = 100;
const PORTS: { readonly [scheme: string]: number } = { 'tcp:': 601, 'tls:': 6514 };

export interface SyslogSettings {
  readonly syslog?: string | undefined;
  readonly syslog_ca?: string | undefined;
}

interface Target {
  readonly host: string;
  readonly port: number;
  readonly tls?: { readonly ca?: string };
}

/** @throws UserError that names the key */
export function syslogTarget({ syslog = '', syslog_ca }: SyslogSettings): Target {
  const url = URL.canParse(syslog) ? new URL(syslog) : undefined;
  const standard = PORTS[url?.protocol ?? ''];
  if (!url || standard === undefined || url.hostname === '' || !/^\/?$/.test(url.pathname))
    throw new UserError(`[audit] syslog: '${syslog}' is no tcp://HOST:PORT or tls://HOST:PORT`);
  const place = { host: url.hostname, port: Number(url.port) || standard };
  if (url.protocol === 'tcp:') return place;
  if (syslog_ca === undefined) return { ...place, tls: {} };
  try {
    return { ...place, tls: { ca: readFileSync(syslog_ca, 'utf8') } };
  } catch (error) {
    throw new UserError(`[audit] syslog_ca: ${(error as Error).message}`);
  }
}

/**
 * Sends the rows of this server's chain to a syslog receiver, in order and at least once to one that reads. The table is the queue: what was not
 * sent before a break or a stop is read from there, and rows that retention removed first are counted as lost.
 */
export class SyslogOutlet {
  sent = 0;
  lost = 0;
  /** Reason why rows wait; undefined: they do not. */
  problem: string | undefined;
  readonly #kernel: Kernel<unknown>;
  readonly #store: Store;
  readonly #chain: () => Promise<Chain>;
  readonly #target: Target;
  readonly #client: EgressClient;
  readonly #sender: ReturnType<typeof senderOf>;
  readonly #end = new AbortController();
  #work: Promise<void> = Promise.resolve();
  #wake = Promise.withResolvers<void>();
  /** Last row of a page and when it was written, oldest first. */
  #written: { readonly seq: number; readonly at: number }[] = [];
  /** Last row that counts as received; undefined: not read yet. */
  #received: number | undefined;
  readonly #warnings: Throttle;

  /** @throws UserError */
  constructor(
    kernel: Kernel<unknown>,
    settings: SyslogSettings,
    parts: { readonly store: Store; readonly chain: () => Promise<Chain> },
  ) {
    const egress = kernel.useOptional(Egress);
    if (!egress) throw new UserError("[audit] syslog: add 'egress' to the list of plugins");
    this.#kernel = kernel;
    this.#warnings = new Throttle(kernel.clock);
    this.#store = parts.store;
    this.#chain = parts.chain;
    this.#target = syslogTarget(settings);
    const { host, port } = this.#target;
    this.#client = egress.open({
      // The operator names the receiver, so it may be a private address; nothing else is reached.
      allow: [`${host}:${port}`],
      key: '[audit] syslog',
      ...{ connect_ms: CONNECT_MS, idle_ms: CONNECT_MS, max_bytes: 0 },
    });
    this.#sender = senderOf(kernel.brand.word);
  }

  start(): void {
    this.#work = this.#run();
  }

  /** Wakes the outlet: there are rows. */
  wake(): void {
    this.#wake.resolve();
    this.#wake = Promise.withResolvers<void>();
  }

  /** Sends what is stored already, for at most three seconds; the next start goes on from there. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    this.wake();
    await within(STOP_MS, this.#work);
    this.#end.abort();
    await this.#work;
  }

  #isStopping = false;

  async #run(): Promise<void> {
    for (let pause = FIRST_PAUSE_MS; !this.#end.signal.aborted && !this.#isStopping; ) {
      try {
        const socket = await this.#client.connect({ ...this.#target, signal: this.#end.signal });
        pause = FIRST_PAUSE_MS;
        this.problem = undefined;
        await this.#serve(socket);
      } catch (error) {
        this.#tell(error);
        if (this.#isStopping) return;
        const signal = this.#end.signal;
        await delay(pause, undefined, { signal }).catch(() => undefined);
        pause = Math.min(2 * pause, LONGEST_PAUSE_MS);
      }
    }
  }

  /** Sends until the connection breaks or the server stops. Rows written last may have been lost with a connection, and are sent again. */
  async #serve(socket: Socket): Promise<void> {
    const gone = new Promise<never>((_, fail) => {
      const end = () => fail(new Error('the receiver closed the connection'));
      socket.once('close', end).once('end', end).on('error', fail);
      this.#end.signal.addEventListener('abort', end, { once: true });
    });
    gone.catch(() => undefined);
    socket.setKeepAlive(true, CONFIRM_MS).resume();
    try {
      this.#written = [];
      for (let seq = await this.#begin(); ; ) {
        const more = this.#wake.promise;
        const page = await this.#page(seq);
        if (page) {
          await Promise.race([write(socket, page.frames), gone]);
          seq = page.seq;
          this.sent += page.rows;
          this.#written.push({ seq, at: this.#kernel.clock.monotonic() });
        }
        await this.#confirm(CONFIRM_MS);
        if (page) continue;
        if (this.#isStopping) break;
        await Promise.race([more, gone, delay(CONFIRM_MS, undefined, { ref: false })]);
      }
      socket.end();
      await within(
        STOP_MS,
        gone.catch(() => undefined),
      );
      await this.#confirm(0);
    } finally {
      socket.destroy();
    }
  }

  /** Row after which sending begins: the first outlet begins with new rows, the export has the earlier ones. */
  async #begin(): Promise<number> {
    const row = await (await this.#chain()).row();
    this.#received ??= row.sent;
    if (this.#received < 0 || this.#received > row.seq) {
      this.#received = row.sent < 0 ? row.seq - (row.seq > 0 ? 1 : 0) : row.seq;
      await this.#store.keepSent(row.id, this.#received);
    }
    return this.#received;
  }

  async #page(after: number): Promise<{ frames: Buffer; seq: number; rows: number } | undefined> {
    const row = await (await this.#chain()).row();
    const from = Math.max(after, row.base);
    this.#lose(from - after);
    const rows = await this.#store.rows(row.id, from, PAGE_ROWS);
    const last = rows.at(-1);
    if (!last) return undefined;
    const frames = Buffer.concat(await this.#frames(row, from, rows));
    return { frames, seq: last.seq, rows: rows.length };
  }

  async #frames({ id, chain }: ChainRow, from: number, rows: readonly Row[]): Promise<Buffer[]> {
    const [mark] = await this.#store.checkpoints(id, from, from);
    let prev = (await this.#store.hashOf(id, from)) ?? mark?.hash ?? ORIGIN;
    return rows.map((row) => {
      const { at, method, outcome, seq } = row;
      const line = lineOf(chain, prev, seq, row);
      prev = row.hash;
      return frameOf(this.#sender, { at, method, outcome, line });
    });
  }

  /** Marks earlier rows as received. */
  async #confirm(age_ms: number): Promise<void> {
    const before = this.#kernel.clock.monotonic() - age_ms;
    const count = this.#written.findLastIndex(({ at }) => at <= before) + 1;
    const last = this.#written.splice(0, count).at(-1);
    if (!last) return;
    this.#received = last.seq;
    const { id } = await (await this.#chain()).row();
    await this.#store.keepSent(id, last.seq);
  }

  #lose(rows: number): void {
    if (rows <= 0) return;
    this.lost += rows;
    this.#kernel.log.error('rows of the audit were removed before syslog took them', { rows });
  }

  #tell(error: unknown): void {
    const { log } = this.#kernel;
    const { host, port } = this.#target;
    this.problem = `${host}:${port}: ${(error as Error).message}`;
    if (this.#isStopping || this.#warnings.pass() === undefined) return;
    log.warn('the audit does not reach syslog: its rows wait in the table', { host, port, error });
  }
}

/** Resolves when the system has taken the frames. @throws Error when it does not within half a minute */
async function write(socket: Socket, frames: Buffer): Promise<void> {
  const late = setTimeout(() => socket.destroy(new Error('the receiver takes nothing')), WRITE_MS);
  try {
    await new Promise<void>((done, fail) =>
      socket.write(frames, (error) => (error ? fail(error) : done())),
    );
  } finally {
    clearTimeout(late);
  }
}
