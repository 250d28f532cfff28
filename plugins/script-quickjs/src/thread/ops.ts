const MOST_OPS = 10_000;
/** Bytes that they hold in the main thread together: texts and bodies. */
const MOST_BYTES = 64 * 1_048_576;

/** The run that asked; `open` counts what is not answered yet. */
export interface Asker {
  open: number;
}

interface Op {
  readonly asker: Asker;
  readonly size: number;
}

/** Calls of one context that have no answer yet: a bounded number of calls of a bounded size. */
export class Ops {
  readonly #open = new Map<number, Op>();
  #size = 0;

  get count(): number {
    return this.#open.size;
  }

  /** @returns why it is refused, or the empty text */
  add(id: number, asker: Asker, size: number): string {
    if (this.#open.size >= MOST_OPS) return 'too many calls are under way';
    if (this.#size + size > MOST_BYTES) return 'the calls under way are too large';
    if (this.#open.has(id)) return 'this call is under way';
    this.#open.set(id, { asker, size });
    this.#size += size;
    asker.open++;
    return '';
  }

  /** @returns false when it was dropped, so that no run waits for it */
  close(id: number): boolean {
    const op = this.#open.get(id);
    if (!op) return false;
    this.#open.delete(id);
    this.#size -= op.size;
    op.asker.open--;
    return true;
  }

  /** Answers that arrive later are thrown away. */
  drop(asker: Asker): void {
    for (const [id, op] of [...this.#open]) if (op.asker === asker) this.close(id);
  }

  clear(): void {
    for (const id of [...this.#open.keys()]) this.close(id);
  }
}
