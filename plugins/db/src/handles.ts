import { BoundedCache } from '@svc/plugin-sdk/util';
import { Handle, type HandleOptions } from './handle.ts';

/** Ids of deleted databases that are remembered; ids are never used again. */
const REMEMBERED = 10_000;

export interface HandlesOptions extends Omit<HandleOptions, 'evict'> {
  /** Path of the database's file now; undefined: the database is deleted. */
  readonly fileOf: (id: number) => Promise<string | undefined>;
}

/** The open databases by registry id. A handle stays as long as one of its connections is open or a text waits. */
export class Handles {
  readonly #options: HandlesOptions;
  readonly #handles = new Map<number, Handle>();
  readonly #deleted = new BoundedCache<number, true>({ most: REMEMBERED });

  constructor(options: HandlesOptions) {
    this.#options = options;
  }

  /**
   * The handle of a registered database; its connections are opened by its first use. undefined: the database was
   * deleted after the caller had read the registry.
   */
  of(id: number, file: string): Handle | undefined {
    if (this.#deleted.has(id)) return undefined;
    const existing = this.#handles.get(id);
    if (!existing) return this.adopt(id, this.make(file));
    // The database was renamed, before or after the caller read the registry.
    if (existing.file !== file) this.refresh(id);
    return existing;
  }

  /** Asks again where the database's file is, when its statements have ended. */
  refresh(id: number): void {
    const handle = this.#handles.get(id);
    if (!handle) return;
    const { fileOf, log } = this.#options;
    const looked = handle.exclusively(async () => {
      const file = await fileOf(id);
      if (file === undefined) this.end(id, new Error('the database is deleted'));
      else handle.file = file;
    });
    looked.catch((error: unknown) =>
      log.warn('a renamed or deleted database is still in use', { file: handle.file, error }),
    );
  }

  /** Any entry of the registry may have changed. */
  refreshAll(): void {
    for (const id of this.#handles.keys()) this.refresh(id);
  }

  /** A handle that belongs to no registered database yet. */
  make(file: string): Handle {
    return new Handle(file, { ...this.#options, evict: () => this.#evict() });
  }

  /** The handle of a database that is now registered. A call that saw the entry may have made a handle before: that one stays. */
  adopt(id: number, handle: Handle): Handle {
    const existing = this.#handles.get(id);
    if (existing) void handle.close();
    else this.#handles.set(id, handle);
    return existing ?? handle;
  }

  /** The database is deleted. Called by exclusive work on its handle. */
  end(id: number, error: Error): void {
    this.#handles.get(id)?.end(error);
    this.#handles.delete(id);
    this.#deleted.set(id, true);
  }

  isOpen(id: number): boolean {
    return this.#handles.get(id)?.isOpen ?? false;
  }

  /** Closes connections that were not used for their time. Files and registry stay as they are. */
  async closeUnused(idleLimit_ms: (id: number) => number): Promise<void> {
    for (const [id, handle] of this.#handles) {
      await handle.closeUnused(idleLimit_ms(id));
      if (!handle.isOpen && !handle.isBusy) this.#handles.delete(id);
    }
  }

  /** Gives up the connection of the database that was not used for the longest time. */
  #evict(): void {
    const oldest = [...this.#handles.values()].sort((a, b) => a.used_at - b.used_at);
    for (const handle of oldest) if (handle.giveUpOne()) return;
  }
}
