import { randomInt } from 'node:crypto';

/**
 * Time-ordered unique 64-bit ids as decimal text: 42 bits of Unix ms, 21 bits that start at a random place in each ms.
 * Ids of one process always grow. Those of two servers may meet, about once in a million; a row takes another id then.
 */
export class RowIds {
  #ms = 0;
  #base = 0n;
  #low = 0;

  next(): string {
    const now = Date.now();
    // A clock that steps back, or a million rows in one ms, does not stop the ids from growing.
    if (now > this.#ms || this.#low >= 2 ** 21) {
      this.#ms = Math.max(now, this.#ms + 1);
      this.#base = BigInt(this.#ms) << 21n;
      this.#low = randomInt(2 ** 20);
    }
    return (this.#base + BigInt(this.#low++)).toString();
  }
}
