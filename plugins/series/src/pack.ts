/** Values of a run of buckets, by their number; a bucket with count 0 is empty. A last value may be NaN: none. */
export interface Columns {
  readonly length: number;
  readonly count: Float64Array;
  readonly min: Float64Array;
  readonly max: Float64Array;
  readonly avg: Float64Array;
  readonly last: Float64Array;
}

export const columns = (length: number): Columns => ({
  length,
  count: new Float64Array(length),
  min: new Float64Array(length),
  max: new Float64Array(length),
  avg: new Float64Array(length),
  last: new Float64Array(length),
});

/** An average is stored as one of so many places between the least and the greatest value: two bytes. */
const PLACES = 16_383;
/** Bytes of one number at most. */
const LONGEST = 10;

/**
 * Columns of integers as bytes: differences to the bucket before as numbers of variable length, runs of zeros as one. What never
 * changes costs some bytes, whatever the length. Values above 2^51 lose their last digits.
 */
export function pack({ length, count, min, max, avg, last }: Columns): Buffer {
  let end = length;
  while (end > 0 && count[end - 1] === 0) end--;
  const filled: number[] = [];
  for (let at = 0; at < end; at++) if (at_(count, at) > 0) filled.push(at);
  const out = new Writer((end + 4 * filled.length + 8) * LONGEST);
  out.number(end);
  out.column(differences(Array.from(count.subarray(0, end))));
  out.column(differences(filled.map((at) => at_(min, at))));
  out.column(filled.map((at) => at_(max, at) - at_(min, at)));
  out.column(
    filled.map((at) => {
      const width = at_(max, at) - at_(min, at);
      return width > 0 ? Math.round(((at_(avg, at) - at_(min, at)) / width) * PLACES) : 0;
    }),
  );
  out.column(
    filled.map((at) => (Number.isNaN(at_(last, at)) ? 1 : 2 * (at_(last, at) - at_(min, at)))),
  );
  return out.bytes();
}

/** What `pack` made; buckets beyond `length` are left out. */
export function unpack(data: Uint8Array, length: number): Columns {
  const into = columns(length);
  const reader = new Reader(data);
  const end = reader.number();
  const counts = summed(reader.column(end));
  const filled: number[] = [];
  for (let at = 0; at < end; at++) if (at_(counts, at) > 0) filled.push(at);
  const min = summed(reader.column(filled.length));
  const width = reader.column(filled.length);
  const place = reader.column(filled.length);
  const last = reader.column(filled.length);
  for (let n = 0; n < filled.length; n++) {
    const at = filled[n] as number;
    const least = at_(min, n);
    into.count[at] = at_(counts, at);
    into.min[at] = least;
    into.max[at] = least + at_(width, n);
    into.avg[at] = least + (at_(width, n) * at_(place, n)) / PLACES;
    into.last[at] = at_(last, n) === 1 ? Number.NaN : least + at_(last, n) / 2;
  }
  return into;
}

const at_ = (values: ArrayLike<number>, at: number): number => values[at] as number;

/** Signed differences, as numbers from 0 on: 0, -1, 1, -2 … */
function differences(values: readonly number[]): number[] {
  let before = 0;
  return values.map((value) => {
    const difference = value - before;
    before = value;
    return difference >= 0 ? 2 * difference : -2 * difference - 1;
  });
}

function summed(values: Float64Array): Float64Array {
  let sum = 0;
  return values.map((value) => {
    sum += value % 2 === 0 ? value / 2 : -(value + 1) / 2;
    return sum;
  });
}

class Writer {
  readonly #bytes: Buffer;
  #at = 0;

  constructor(size: number) {
    this.#bytes = Buffer.allocUnsafe(size);
  }

  number(value: number): void {
    let left = value;
    while (left >= 128) {
      this.#bytes[this.#at++] = (left % 128) + 128;
      left = Math.floor(left / 128);
    }
    this.#bytes[this.#at++] = left;
  }

  /** A run of zeros is a zero and its length. */
  column(values: readonly number[]): void {
    for (let at = 0; at < values.length; ) {
      if (values[at] !== 0) {
        this.number(values[at++] as number);
        continue;
      }
      const from = at;
      while (at < values.length && values[at] === 0) at++;
      this.number(0);
      this.number(at - from);
    }
  }

  bytes(): Buffer {
    return Buffer.from(this.#bytes.subarray(0, this.#at));
  }
}

class Reader {
  readonly #bytes: Uint8Array;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  number(): number {
    let value = 0;
    for (let factor = 1; ; factor *= 128) {
      const byte = this.#bytes[this.#at++] ?? 0;
      if (byte < 128) return value + byte * factor;
      value += (byte - 128) * factor;
    }
  }

  column(length: number): Float64Array {
    const values = new Float64Array(length);
    for (let at = 0; at < length; at++) {
      const value = this.number();
      if (value === 0) at += this.number() - 1;
      else values[at] = value;
    }
    return values;
  }
}
