import type { Principal, Push } from '@svc/plugin-sdk';
import { rowJson, type Selection } from '../fields.ts';
import type { Kind } from '../kinds.ts';
import type { Shown } from './board.ts';
import type { Sees } from './rights.ts';

/** One subscription. */
export interface Viewer {
  readonly caller: Principal;
  readonly push: Push<never>;
  readonly selection: Selection;
  /** Lower-case hyphenated; undefined: every agent that the caller may see. */
  readonly named: readonly string[] | undefined;
  /** Turns between two items. */
  readonly every: number;
  sees: Sees;
  /** Time when the next item may be sent, in turns of the monotonic clock. */
  due: number;
  /** Turn of the board at the last item; -1: the state has not been sent. */
  since: number;
  /** Agents that the last item had no room for. */
  unsent: ReadonlySet<string>;
  /** Time when all rights are checked again, ms of the monotonic clock. */
  recheck: number;
}

/** Text of one item at most, characters: a longer state leaves in several. */
const ITEM_LENGTH = 256 * 1024;

/** Agents of one item and its JSON text. */
export interface Item {
  readonly uuids: readonly string[];
  readonly text: string;
}

/** Items of one turn. Viewers that see the same share texts. */
export class Items {
  readonly #kind: Kind;
  readonly #shown: ReadonlyMap<string, Shown>;
  readonly #pieces = new Map<string, string>();
  readonly #shared = new Map<string, readonly Item[]>();

  constructor(kind: Kind, shown: ReadonlyMap<string, Shown>) {
    this.#kind = kind;
    this.#shown = shown;
  }

  /** Returns what this viewer has not got yet. */
  of({ sees, selection, since, unsent }: Viewer): readonly Item[] {
    const isNew = ({ uuid, turn }: Shown) => turn > since || unsent.has(uuid);
    if (sees === 'every') {
      if (unsent.size > 0)
        return this.#join([...this.#shown.values()].filter(isNew), () => selection);
      const key = `${selection.set} ${since}`;
      const shared = this.#shared.get(key);
      if (shared) return shared;
      const items = this.#join([...this.#shown.values()].filter(isNew), () => selection);
      this.#shared.set(key, items);
      return items;
    }
    const shown: Shown[] = [];
    for (const uuid of sees.keys()) {
      const one = this.#shown.get(uuid);
      if (one && isNew(one)) shown.push(one);
    }
    return this.#join(shown, (uuid) => sees.get(uuid) ?? selection);
  }

  #join(shown: readonly Shown[], fieldsOf: (uuid: string) => Selection): Item[] {
    const items: Item[] = [];
    let uuids: string[] = [];
    let pieces: string[] = [];
    let length = 0;
    const close = () => {
      if (uuids.length > 0) items.push({ uuids, text: `{"agents":[${pieces.join(',')}]}` });
      uuids = [];
      pieces = [];
      length = 0;
    };
    for (const one of shown) {
      const piece = this.#piece(one, fieldsOf(one.uuid));
      if (length + piece.length > ITEM_LENGTH) close();
      length += piece.length;
      uuids.push(one.uuid);
      pieces.push(piece);
    }
    close();
    return items;
  }

  #piece({ uuid, row }: Shown, selection: Selection): string {
    const key = `${uuid}${selection.set}`;
    let piece = this.#pieces.get(key);
    if (piece === undefined) {
      piece = rowJson(this.#kind, uuid, row, selection);
      this.#pieces.set(key, piece);
    }
    return piece;
  }
}
