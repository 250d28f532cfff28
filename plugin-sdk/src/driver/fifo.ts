/** First in, first out, with constant-time `shift` on long queues. */
export class Fifo<T> {
  #items: (T | undefined)[] = [];
  #head = 0;

  get length(): number {
    return this.#items.length - this.#head;
  }

  push(item: T): void {
    this.#items.push(item);
  }

  peek(): T | undefined {
    return this.#items[this.#head];
  }

  shift(): T | undefined {
    const item = this.#items[this.#head];
    if (this.length === 0) return undefined;
    // What has left is not kept alive.
    this.#items[this.#head++] = undefined;
    if (this.length === 0 || (this.#head > 1_000 && this.#head * 2 >= this.#items.length))
      this.#compact();
    return item;
  }

  /** Removes at most `count` items from the front and returns them. */
  take(count: number): T[] {
    const taken = this.#items.slice(this.#head, this.#head + count) as T[];
    this.#head += taken.length;
    this.#compact();
    return taken;
  }

  /** Puts items back before all others. */
  unshift(items: readonly T[]): void {
    this.#items = [...items, ...this.#items.slice(this.#head)];
    this.#head = 0;
  }

  *[Symbol.iterator](): Generator<T> {
    for (let at = this.#head; at < this.#items.length; at++) yield this.#items[at] as T;
  }

  #compact(): void {
    if (this.length === 0) this.#items.length = 0;
    else this.#items = this.#items.slice(this.#head);
    this.#head = 0;
  }
}
