import { SerialQueue } from '@svc/plugin-sdk/util';
import type { Bucket } from './api.ts';
import type { BucketStore, Change, Changes } from './store.ts';

export interface RecordsOptions {
  readonly store: BucketStore;
  /** Called after every replacement of the records in memory. */
  readonly changed: () => void;
  /** Tells the other servers. */
  readonly announce: () => void;
}

/** All bucket records, in memory. Changes and reads of the table run one after the other, so the newest read is kept. */
export class Records {
  readonly #options: RecordsOptions;
  #byName = new Map<string, Bucket>();
  #sorted: readonly Bucket[] = [];
  #root: Bucket | undefined;
  readonly #queue = new SerialQueue();

  constructor(options: RecordsOptions) {
    this.#options = options;
  }

  get(name: string): Bucket | undefined {
    return this.#byName.get(name);
  }

  /** The enabled root bucket (conventions.md §6). */
  root(): Bucket | undefined {
    return this.#root;
  }

  list(): readonly Bucket[] {
    return this.#sorted;
  }

  /** Names of the buckets that a token wrote last, ascending. */
  namesOf(owner: string): string[] {
    return this.#sorted.filter((bucket) => bucket.owner === owner).map(({ name }) => name);
  }

  /** Reads the table again. */
  reload(): Promise<void> {
    return this.#queue.run(async () => this.#replace(await this.#options.store.all()));
  }

  /** Changes the table, then the records in memory; see `BucketStore.change`. */
  change(what: Change, work: (changes: Changes) => Promise<void>): Promise<void> {
    return this.#queue.run(async () => {
      this.#replace(await this.#options.store.change(what, work));
      this.#options.announce();
    });
  }

  #replace(buckets: readonly Bucket[]): void {
    // Names are ASCII: code units and bytes have one order.
    this.#sorted = buckets.toSorted((a, b) => (a.name < b.name ? -1 : 1));
    this.#byName = new Map(buckets.map((bucket) => [bucket.name, bucket]));
    this.#root = buckets.find(({ is_http_root, enable }) => is_http_root && enable !== false);
    this.#options.changed();
  }
}
