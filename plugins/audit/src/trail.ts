import { dirname, join, resolve } from 'node:path';
import { countedAs } from '@svc/plugin-admission/api';
import {
  type Call,
  ConfigurationFile,
  type Kernel,
  type Outcome,
  type Principal,
} from '@svc/plugin-sdk';
import type { Connection, Origin } from '@svc/plugin-sdk/http';
import { Throttle } from '@svc/plugin-sdk/util';
import type { Audit, AuditEvent } from './api.ts';
import { Chain } from './chain.ts';
import { chainName, type Entry, kept, keptShort, type Mark } from './entry.ts';
import { fingerprintOf, openKey, readKey } from './key.ts';
import { Logins, RECENT } from './logins.ts';
import { goneText, Outside } from './outside.ts';
import { Recorder } from './recorder.ts';
import { Rounds } from './rounds.ts';
import { Store } from './store.ts';
import { Sums } from './sums.ts';
import type { Own } from './verify.ts';

const KEY_FILE = 'audit.key';
const END_FILE = 'audit.end';
const DAY_MS = 86_400_000;
const MB = 1_000_000;
/** Code of a wrong credential. */
const DENIED = 102;

const LOGIN = 'login';
const nowhere = { address: '', transport: 'internal' } as const;

/** Section `[audit]`. */
export interface Settings {
  readonly keep_days: number;
  readonly max_mb: number;
  readonly end_file?: string | undefined;
}

interface Opened {
  readonly chain: Chain;
  readonly publicKey: string;
  /** Reason why the key ends with this process. */
  readonly problem: string | undefined;
}

/** Record of this server: events of hooks and plugins, on their way to the chain. */
export class Trail implements Audit {
  readonly store: Store;
  /** Called when rows are stored. */
  appended: () => void = () => undefined;
  readonly #kernel: Kernel<Settings>;
  readonly #recorder: Recorder;
  /** Logins that were accepted and refused, and changes that were refused. */
  readonly #accepted: Sums;
  readonly #refused: Sums;
  readonly #denied: Sums;
  readonly #logins = new Logins();
  readonly #outside: Outside;
  #opened: Promise<Opened> | undefined;
  #own: Opened | undefined;
  readonly #readerCounts: Throttle;

  constructor(kernel: Kernel<Settings>) {
    const { clock, db, log, signal: stopping } = kernel;
    this.#kernel = kernel;
    this.store = new Store(db);
    this.#readerCounts = new Throttle(clock);
    this.#recorder = new Recorder({
      append: async (entries) => {
        await (await this.#open()).chain.append(entries);
        this.appended();
      },
      lost: (count) => ({ ...this.#entryOf({ method: 'lost' }), count }),
      ...{ clock, log, stopping },
    });
    this.#outside = new Outside({
      path: this.#endPath(),
      record: (target) => this.record({ method: 'audit end', target }),
      ...{ clock, log },
    });
    const add = (entry: Entry) => this.#recorder.add(entry);
    this.#accepted = new Sums({ add, free: 5, most: 10_000, mostOfToken: 100 });
    this.#refused = new Sums({ add, free: 0, most: 100 });
    this.#denied = new Sums({ add, free: 10, most: 100 });
  }

  record(event: AuditEvent): void {
    const entry = this.#entryOf(event);
    if (entry.outcome === 0) this.#recorder.add(entry);
    else this.#denied.add(`${entry.token} ${entry.method} ${entry.outcome}`, entry);
  }

  /** Hook `settled`; called for methods that state `audit` only. */
  settled({ method, target, caller, address, transport }: Call, { error }: Outcome): void {
    const named = target?.();
    // A call without a valid credential has changed nothing, and counts as a refused login.
    if (named === undefined || (error && caller.id === '')) return;
    const origin = { address, transport };
    this.record({ method, target: named, caller, origin, error: error?.code });
  }

  /** Reads what was recorded before the start, by other servers as well: connections that come back are no logins. */
  async remember(): Promise<void> {
    const { clock, log } = this.#kernel;
    try {
      const rows = await this.store.logins(clock.now() - RECENT.within_ms, RECENT.most);
      for (const { token, address, at } of rows.reverse())
        this.#logins.recorded(token, countedAs(address), at);
    } catch (error) {
      log.warn('earlier logins could not be read: each token is recorded again', { error });
    }
  }

  /** Records a valid credential of a connection, or a change of it. */
  accepted(connection: Connection, caller: Principal, given: Origin | undefined): void {
    const origin = given ?? { address: connection.address, transport: 'http' };
    const entry = this.#entryOf({ method: LOGIN, caller, origin });
    const { token, address, at } = entry;
    const place = countedAs(address);
    if (!this.#logins.isNew(token, place, at)) return;
    // An event that shares a row counts as new until a row names it.
    if (this.#accepted.add(`${token} ${place}`, entry)) this.#logins.recorded(token, place, at);
  }

  refused(name: string | undefined, origin: Pick<Origin, 'address' | 'transport'>): void {
    const entry = this.#entryOf({ method: LOGIN, target: name ?? '', origin, error: DENIED });
    this.#refused.add(`${name ?? ''} ${origin.address}`, entry);
  }

  /** Writes rows for counted events; to be called once a minute. */
  minute(): void {
    for (const sums of [this.#accepted, this.#refused, this.#denied]) sums.minute();
  }

  /** Resolves when earlier events can be read; counts are written for a reader once a minute at most. */
  async readable(): Promise<void> {
    if (this.#readerCounts.pass() !== undefined) this.minute();
    await this.#recorder.flush();
  }

  async stop(): Promise<void> {
    this.minute();
    await this.#recorder.stop();
  }

  /** Chain of this server, once something was written to it. */
  async own(): Promise<Own | undefined> {
    const own = this.#own;
    return own && this.#witnessed(own.chain.name, own.publicKey, own.chain.end);
  }

  /** Chain for a command, which makes no key. */
  async ownOfFile(): Promise<Own | undefined> {
    const path = this.#keyPath();
    const key = path === undefined ? undefined : await readKey(path);
    if (!key) return undefined;
    const { publicKey } = key;
    return this.#witnessed(chainName(this.#kernel.server.uuid(), publicKey), publicKey, undefined);
  }

  /** Verifies with the file next to the key. The file is read before the table, because it is never ahead of it. */
  async #witnessed(chain: string, publicKey: string, written: Mark | undefined): Promise<Own> {
    const own = { chain, publicKey, end: written };
    try {
      const kept = await this.#outside.read();
      if (kept?.chain === chain) {
        const end = written && written.seq >= kept.end.seq ? written : kept.end;
        const fault = kept.lost_at > 0 ? lostText(new Date(kept.lost_at)) : undefined;
        return { ...own, end, breaks: kept.breaks, fault };
      }
      const isMissed = ((await this.store.chain(chain))?.outside ?? 0) !== 0;
      return isMissed ? { ...own, fault: 'the file with the end of the chain is missing' } : own;
    } catch (error) {
      const fault = `the file with the end of the chain cannot be read: ${(error as Error).message}`;
      return { ...own, fault };
    }
  }

  /** Accepts missing rows in the file next to the key. @returns a description of them */
  async accept(why = ''): Promise<string[]> {
    const { chain } = await this.#open();
    await chain.compare();
    const { breaks = [], lost_at = 0 } = (await this.#outside.accept()) ?? {};
    const accepted = breaks.map(({ from, to }) => goneText(from, to));
    if (lost_at > 0) accepted.push(lostText(new Date(lost_at)));
    if (accepted.length > 0 || why !== '')
      this.record({
        method: 'audit-accept',
        target: [why, ...accepted].filter(Boolean).join('; '),
      });
    await this.#recorder.flush();
    return accepted;
  }

  async restored(target: string): Promise<void> {
    // A copy of an earlier version, or of a server without this plugin, gets its tables at the next start.
    if (!(await this.store.isComplete())) return this.#outside.setAside();
    await this.store.forgetOutside();
    // Without a key here the first start makes one, and a chain and a file of its own.
    if (await this.ownOfFile()) await this.accept(target);
  }

  async chain(): Promise<Chain> {
    return (await this.#open()).chain;
  }

  /** Removes rows beyond the limits of age and size. */
  async round(): Promise<void> {
    const { clock, log, signal } = this.#kernel;
    const { chain } = await this.#open();
    const removed = (target: string) => this.record({ method: 'retention', target });
    const options = { store: this.store, chain, clock, log, signal, removed };
    await new Rounds({ ...options, most: this.#most, kept: this.#kept }).run();
  }

  /** Problem of the key, for an operator; undefined: none. */
  get problem(): string | undefined {
    return this.#own?.problem;
  }

  /** Problem of the file with the end, for an operator; undefined: none. */
  get endProblem(): string | undefined {
    return this.#own?.problem === undefined ? this.#outside.problem : undefined;
  }

  readonly #most = () => this.#kernel.config.max_mb * MB;
  readonly #kept = () => (this.#kernel.config.keep_days || Number.POSITIVE_INFINITY) * DAY_MS;

  #entryOf({ method, target, caller, origin, error }: AuditEvent): Entry {
    const { address, transport } = origin ?? nowhere;
    return {
      at: this.#kernel.clock.now(),
      token: keptShort(caller?.id ?? ''),
      name: keptShort(caller?.name ?? ''),
      method: keptShort(method),
      target: kept(target ?? ''),
      address: keptShort(address),
      transport,
      outcome: error ?? 0,
      count: 1,
    };
  }

  #endPath(): string | undefined {
    const key = this.#keyPath();
    const { end_file } = this.#kernel.config;
    if (end_file !== undefined) return resolve(end_file);
    return key === undefined ? undefined : join(dirname(key), END_FILE);
  }

  #keyPath(): string | undefined {
    const file = this.#kernel.useOptional(ConfigurationFile)?.path;
    return file === undefined ? undefined : join(dirname(file), KEY_FILE);
  }

  #open(): Promise<Opened> {
    this.#opened ??= this.#openKey();
    return this.#opened;
  }

  async #openKey(): Promise<Opened> {
    const { clock, log, server } = this.#kernel;
    const { key, problem } = await openKey(this.#keyPath(), log);
    const serverUuid = server.uuid();
    const { publicKey } = key;
    const limits = { most: this.#most, kept: this.#kept, outside: this.#outside };
    const chain = new Chain({ store: this.store, key, serverUuid, clock, log, ...limits });
    log.debug('the audit is signed', { chain: chain.name, key: fingerprintOf(publicKey) });
    this.#own = { chain, publicKey, problem };
    return this.#own;
  }
}

const lostText = (at: Date): string =>
  `the file with the end of the chain was missing at the start of ${at.toISOString()}: what was removed before is not seen`;
