import { rename } from 'node:fs/promises';
import type { Clock, Logger } from '@svc/plugin-sdk';
import { Throttle } from '@svc/plugin-sdk/util';
import { type Kept, readEnd, writeEnd } from './end-file.ts';
import { type SignedMark, textOf } from './entry.ts';
import { isSigned } from './key.ts';
import type { ChainRow } from './store.ts';

interface Options {
  /** Path of the file; undefined: the server has no folder of its own. */
  readonly path: string | undefined;
  readonly clock: Clock;
  readonly log: Logger;
  /** Called with events of the file that the audit itself records. */
  readonly record: (target: string) => void;
}

/** Text for an operator about rows that are gone. */
export const goneText = (from: number, to: number): string =>
  from === to ? `row ${from} is gone` : `rows ${from} to ${to} are gone`;

/**
 * End of this server's chain outside of the database: with the database alone no one can remove rows, or restore an
 * older state, without a trace. The file is never ahead of what is stored.
 */
export class Outside {
  readonly #options: Options;
  readonly #warnings: Throttle;
  #kept: Kept | undefined;
  /** Reason why the file is outdated; undefined: it is not. */
  problem: string | undefined;

  constructor(options: Options) {
    this.#options = options;
    this.#warnings = new Throttle(options.clock);
  }

  /** Tells whether the file holds the end, so that its loss is a finding. */
  get isKept(): boolean {
    return this.#kept !== undefined && this.problem === undefined;
  }

  /** Reads the file. @throws Error for one that cannot be read */
  async read(): Promise<Kept | undefined> {
    const { path } = this.#options;
    return path === undefined ? undefined : readEnd(path);
  }

  /** Compares the file with the stored rows, to be called before anything is added: missing rows stay in the file until they are accepted. */
  async compare(
    stored: ChainRow,
    hashOf: (seq: number) => Promise<string | undefined>,
  ): Promise<void> {
    const { clock, log, path, record } = this.#options;
    if (path === undefined) return;
    const file = await this.#readSound(stored);
    const found = file?.chain === stored.chain ? file : undefined;
    // With another UUID or key the server begins a chain: what the one before misses is not forgotten by that.
    const isLost = found === undefined && (file !== undefined || stored.outside !== 0);
    const gone = found && (await goneRows(found.end, stored, hashOf));
    const breaks = file?.breaks ?? [];
    if (isLost) {
      log.error(
        'the file with the end of the audit is missing: what was removed before this start stays unseen',
        { path, ...(file && { holds: file.chain }) },
      );
      record(`the file with the end of the chain ${file ? 'held that of another' : 'was missing'}`);
    }
    if (gone) {
      log.error('rows of the audit are gone: see svc-server audit-verify', { path, ...gone });
      record(`${goneText(gone.from, gone.to)}; the file with the end of the chain names them`);
    }
    const { seq, hash, at, base, signature } = stored;
    await this.#write({
      chain: stored.chain,
      end: { seq, hash, at, base, signature },
      breaks: gone ? [...breaks, { at: clock.now(), ...gone }] : breaks,
      lost_at: isLost ? clock.now() : (found?.lost_at ?? 0),
    });
  }

  /** Writes the end, to be called when rows are stored, before they count as recorded. A failure is reported, and stops nothing. */
  async keep(chain: string, end: SignedMark): Promise<void> {
    const { path } = this.#options;
    if (path === undefined) return;
    try {
      // A command that runs next to the server may have added rows, or have accepted something.
      const now = await readEnd(path);
      const known = now?.chain === chain ? now : this.#kept;
      if (known?.chain === chain && known.end.seq > end.seq) return;
      await this.#write({ chain, end, breaks: known?.breaks ?? [], lost_at: known?.lost_at ?? 0 });
    } catch (error) {
      this.#failed(error);
    }
  }

  /** Sets aside a file that belongs to another database. */
  async setAside(): Promise<void> {
    const { path } = this.#options;
    if (path !== undefined && (await this.read())) await rename(path, `${path}.before-restore`);
  }

  /** Forgets missing rows that the operator has accepted. */
  async accept(): Promise<Kept | undefined> {
    const { path } = this.#options;
    const now = await this.read();
    if (path !== undefined && now) await writeEnd(path, { ...now, breaks: [], lost_at: 0 });
    return now;
  }

  /** @returns the end of another chain as it is; undefined also for one that no one signed */
  async #readSound({ chain, public_key }: ChainRow): Promise<Kept | undefined> {
    const { log, path } = this.#options;
    try {
      const found = await this.read();
      if (found?.chain !== chain) return found;
      if (isSigned(public_key, textOf(chain, found.end), found.end.signature)) return found;
      throw new Error('its signature is not that of the key');
    } catch (error) {
      log.error('the file with the end of the audit cannot be used', { path, error });
      return undefined;
    }
  }

  async #write(kept: Kept): Promise<void> {
    try {
      await writeEnd(this.#options.path ?? '', kept);
      this.#kept = kept;
      this.problem = undefined;
    } catch (error) {
      this.#failed(error);
    }
  }

  #failed(error: unknown): void {
    const { log, path } = this.#options;
    this.problem = `${path}: ${(error as Error).message}`;
    if (this.#warnings.pass() === undefined) return;
    log.error('the end of the audit cannot be written beside its key', { path, error });
  }
}

/** Rows that the file names and the table lacks; undefined: none. Removals by retention are signed. */
async function goneRows(
  end: SignedMark,
  stored: ChainRow,
  hashOf: (seq: number) => Promise<string | undefined>,
): Promise<{ from: number; to: number } | undefined> {
  if (stored.seq < end.seq) return { from: stored.seq + 1, to: end.seq };
  if (end.seq <= stored.base) return undefined;
  const hash = end.seq === stored.seq ? stored.hash : await hashOf(end.seq);
  return hash === end.hash ? undefined : { from: end.seq, to: end.seq };
}
