import { SerialQueue } from '@svc/plugin-sdk/util';
import type { Page } from './page.ts';
import type { Store } from './store.ts';

/** All pages, in memory: a request for one that does not exist costs nothing. Reads of the table run one after the other. */
export class Records {
  readonly #store: Store;
  #bySlug: ReadonlyMap<string, Page> = new Map();
  readonly #queue = new SerialQueue();

  constructor(store: Store) {
    this.#store = store;
  }

  get(slug: string): Page | undefined {
    return this.#bySlug.get(slug);
  }

  /** Ascending by slug. */
  list(): readonly Page[] {
    return [...this.#bySlug.values()];
  }

  /** Slugs of the pages that the token with this key wrote last. */
  ownedBy(owner: string): string[] {
    return this.list().flatMap((page) => (page.owner === owner ? page.slug : []));
  }

  /** Reads the table again; pages that did not change stay the same objects. */
  reload(): Promise<void> {
    return this.#queue.run(async () => {
      const pages = (await this.#store.all()).map((page) => {
        const current = this.#bySlug.get(page.slug);
        return current && current.version === page.version && current.updated_at === page.updated_at
          ? current
          : page;
      });
      this.#bySlug = new Map(pages.map((page) => [page.slug, page]));
    });
  }
}
