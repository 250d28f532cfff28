/** Bytes of one number at most: what JSON's integers take, seven bits each. */
const LONGEST = 8;

/** Writer of numbers from 0 to 2^53 - 1, seven bits a byte. */
export class NumberWriter {
  readonly #bytes: number[] = [];

  number(value: number): void {
    let left = value;
    while (left >= 128) {
      this.#bytes.push((left % 128) + 128);
      left = Math.floor(left / 128);
    }
    this.#bytes.push(left);
  }

  /** Writes a column in which zeros stand in runs: a run is a zero and its length. */
  column(values: readonly number[]): void {
    for (let at = 0; at < values.length; ) {
      const from = at;
      while (at < values.length && values[at] === 0) at++;
      if (at === from) this.number(values[at++] as number);
      else {
        this.number(0);
        this.number(at - from);
      }
    }
  }

  /** Writes the values that differ from the usual one, each behind the distance from the one before. */
  exceptions(values: readonly number[], usual: number): void {
    const found = values.flatMap((value, at) => (value === usual ? [] : [at]));
    this.number(found.length);
    let before = -1;
    for (const at of found) {
      this.number(at - before - 1);
      this.number(values[at] as number);
      before = at;
    }
  }

  bytes(): Buffer {
    return Buffer.from(this.#bytes);
  }
}

/** Reader of what `NumberWriter` wrote. Every method throws Error for other bytes. */
export class NumberReader {
  readonly #bytes: Uint8Array;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  number(most: number = Number.MAX_SAFE_INTEGER): number {
    let value = 0;
    let factor = 1;
    for (let length = 0; length < LONGEST; length++) {
      const byte = this.#bytes[this.#at++];
      if (byte === undefined) throw new Error('the bytes end too early');
      value += (byte % 128) * factor;
      factor *= 128;
      if (byte >= 128) continue;
      if (value > most) break;
      return value;
    }
    throw new Error('a number is too large');
  }

  column(length: number): number[] {
    const values: number[] = [];
    while (values.length < length) {
      const value = this.number();
      if (value !== 0) values.push(value);
      else for (let zeros = this.number(length - values.length); zeros > 0; zeros--) values.push(0);
    }
    return values;
  }

  exceptions(length: number, usual: number): number[] {
    const values = new Array<number>(length).fill(usual);
    let at = -1;
    for (let left = this.number(length); left > 0; left--) {
      at += 1 + this.number(length);
      if (at >= length) throw new Error('an exception lies outside');
      values[at] = this.number();
    }
    return values;
  }

  /** @throws Error when bytes are left */
  end(): void {
    if (this.#at !== this.#bytes.length) throw new Error('there are bytes too many');
  }
}

/** Returns a number from 0 on for an integer: 0, -1, 1, -2 … */
export const zigzag = (value: number): number => (value >= 0 ? 2 * value : -2 * value - 1);

/** Returns the integer of which `zigzag` made this. */
export const unzigzag = (value: number): number => (value % 2 === 0 ? value / 2 : -(value + 1) / 2);
