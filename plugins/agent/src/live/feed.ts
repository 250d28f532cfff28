import { setImmediate } from 'node:timers/promises';
import type { AgentRegistry } from '@svc/plugin-agent-uuid/api';
import { type Kernel, RpcError } from '@svc/plugin-sdk';
import { RawJson } from '@svc/plugin-sdk/json';
import type { Kind } from '../kinds.ts';
import type { Board } from './board.ts';
import type { Rights } from './rights.ts';
import { type Item, Items, type Viewer } from './viewer.ts';

/** Turns of all subscriptions; intervals are multiples of it. */
export const TURN_MS = 250;
/** Size of the portions, roughly, in which a long state is sent. */
const PORTION_BYTES = 1024 * 1024;
/** Time of work after which other calls get their turn. */
const SLICE_MS = 4;
/** Longest time until rights that were granted meanwhile count; revoked ones count at once. */
const RECHECK_MS = 10_000;

const RETRY_MS = 5_000;

export interface FeedOptions {
  readonly kernel: Pick<Kernel, 'clock' | 'log'>;
  readonly kind: Kind;
  readonly board: Board;
  readonly rights: Rights;
  readonly registry: AgentRegistry;
  /** Called when a viewer subscribed: turns are needed from now on. */
  readonly onWatched: () => void;
}

export type Wanted = Pick<Viewer, 'caller' | 'push' | 'selection' | 'named' | 'every'>;

/** The subscriptions to reports of one kind. Without any it does nothing. */
export class Feed {
  readonly #options: FeedOptions;
  readonly #viewers = new Set<Viewer>();
  /** Time when the database is asked again, ms of the monotonic clock. */
  #resume = 0;
  #turning: Promise<void> | undefined;

  constructor(options: FeedOptions) {
    this.#options = options;
  }

  get isWatched(): boolean {
    return this.#viewers.size > 0;
  }

  /** Notes that reports of these agents have come or gone; null: of any. */
  changed(ids: readonly number[] | null): void {
    if (this.isWatched) this.#options.board.changed(ids);
  }

  /** Notes that an agent was registered or came back: each viewer of a list of agents may see it, too. */
  appeared(): void {
    for (const viewer of this.#viewers) if (!viewer.named) viewer.recheck = 0;
  }

  /** Opens a subscription, whose state follows at once. @returns a function that ends it. @throws RpcError 102 when nothing may be seen */
  async open(wanted: Wanted): Promise<() => void> {
    const { board, clock, rights } = { ...this.#options, ...this.#options.kernel };
    const sees = await this.#sees(wanted);
    if (sees !== 'every' && sees.size === 0) {
      throw RpcError.denied(rights.denied(wanted.selection));
    }
    const recheck = clock.monotonic() + RECHECK_MS;
    const viewer: Viewer = { ...wanted, sees, due: 0, since: -1, unsent: new Set(), recheck };
    if (!this.isWatched) board.changed(null);
    this.#viewers.add(viewer);
    this.#options.onWatched();
    void this.#begin();
    return () => {
      this.#viewers.delete(viewer);
      if (!this.isWatched) board.clear();
    };
  }

  /** Tells whether the caller may still see something of what it wanted. */
  async mayContinue({ caller, named, selection }: Omit<Wanted, 'push'>): Promise<boolean> {
    const { rights } = this.#options;
    if (!named && (await rights.allow(caller, undefined, selection))) return true;
    return rights.seesAny(caller, named ?? this.#all(), selection);
  }

  /** Sends what is due, one turn at a time. Without the database it tries again later. */
  turn(): Promise<void> {
    this.#turning ??= this.#turn().finally(() => {
      this.#turning = undefined;
    });
    return this.#turning;
  }

  /** Serves a new viewer without waiting for a turn by the clock; those that come while one runs share the next. */
  async #begin(): Promise<void> {
    try {
      // The reply leaves first.
      await setImmediate();
      await this.#turning;
      await this.turn();
    } catch (error) {
      this.#options.kernel.log.warn('live reports begin with the next turn', { error });
    }
  }

  async #turn(): Promise<void> {
    const { board, kernel } = this.#options;
    if (kernel.clock.monotonic() < this.#resume) return;
    try {
      await board.update();
    } catch (error) {
      this.#resume = kernel.clock.monotonic() + RETRY_MS;
      kernel.log.warn('live reports wait for the database', { error });
      return;
    }
    await this.#serveAll();
  }

  async #serveAll(): Promise<void> {
    const { board, kernel, kind } = this.#options;
    // By the clock: a turn that comes late or is left out shifts no later ones.
    const now = Math.floor(kernel.clock.monotonic() / TURN_MS);
    const due = Map.groupBy(
      [...this.#viewers].filter((viewer) => viewer.due <= now),
      ({ selection }) => selection.set,
    );
    let began = performance.now();
    for (const viewers of due.values()) {
      const items = new Items(kind, board.shown);
      for (const viewer of viewers) {
        if (await this.#serve(viewer, items)) viewer.due = now + viewer.every;
        if (performance.now() - began < SLICE_MS) continue;
        await setImmediate();
        began = performance.now();
      }
    }
  }

  /** @returns whether it got its item */
  async #serve(viewer: Viewer, items: Items): Promise<boolean> {
    const { turn } = this.#options.board;
    if (viewer.push.isCongested()) return false;
    await this.#checkAll(viewer);
    const first = items.of(viewer);
    const isAllowed = await this.#mayGet(viewer, first);
    if (!isAllowed) viewer.sees = await this.#sees(viewer);
    // It may have ended while its rights were checked.
    if (!this.#viewers.has(viewer)) return false;
    if (viewer.sees !== 'every' && viewer.sees.size === 0) {
      viewer.push.end();
      return false;
    }
    this.#send(viewer, isAllowed ? first : items.of(viewer));
    viewer.since = turn;
    return true;
  }

  #send(viewer: Viewer, items: readonly Item[]) {
    const { push, since } = viewer;
    if (items.length === 0 && since < 0) push(new RawJson('{"agents":[]}'));
    let sent = 0;
    while (sent < items.length && (sent === 0 || push.buffered() < PORTION_BYTES)) {
      push(new RawJson(items[sent++]?.text ?? ''));
    }
    viewer.unsent = new Set(items.slice(sent).flatMap(({ uuids }) => uuids));
  }

  async #checkAll(viewer: Viewer): Promise<void> {
    const { clock } = this.#options.kernel;
    if (viewer.sees === 'every' || clock.monotonic() < viewer.recheck) return;
    viewer.recheck = clock.monotonic() + RECHECK_MS;
    viewer.sees = await this.#sees(viewer);
  }

  /** Tells whether the caller still has the rights to these items: a changed token loses them at once. */
  async #mayGet({ caller, sees, selection }: Viewer, items: readonly Item[]) {
    const { rights } = this.#options;
    if (caller.super) return true;
    if (sees === 'every') return rights.allow(caller, undefined, selection);
    const uuids = items.flatMap((item) => item.uuids);
    const bySet = Map.groupBy(uuids, (uuid) => sees.get(uuid) ?? selection);
    for (const [fields, some] of bySet)
      if (!(await rights.allow(caller, some, fields))) return false;
    return true;
  }

  async #sees({ caller, named, selection }: Wanted): Promise<Viewer['sees']> {
    const { rights } = this.#options;
    if (!named && (await rights.allow(caller, undefined, selection))) return 'every';
    return rights.seen(caller, named ?? this.#all(), selection);
  }

  #all(): string[] {
    const agents = this.#options.registry.list();
    return agents.flatMap((one) => (one.soft_delete ? [] : [one.uuid]));
  }
}
