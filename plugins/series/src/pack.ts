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

/** Puts what `pack` made in the place of what the columns held; buckets beyond their length are left out. */
export function unpack(data: Uint8Array, into: Columns): void {
  const [counts, least, widths, places, lasts] = scratch(into.length);
  const reader = new Reader(data);
  const end = Math.min(reader.number(), into.length);
  reader.column(counts, end);
  let filled = 0;
  for (let at = 0, count = 0; at < end; at++) {
    count += signed(at_(counts, at));
    counts[at] = count;
    if (count > 0) filled++;
  }
  for (const column of [least, widths, places, lasts]) reader.column(column, filled);
  into.count.fill(0);
  for (let at = 0, n = 0, min = 0; n < filled; at++) {
    if (!(at_(counts, at) > 0)) continue;
    min += signed(at_(least, n));
    const width = at_(widths, n);
    const last = at_(lasts, n);
    into.count[at] = at_(counts, at);
    into.min[at] = min;
    into.max[at] = min + width;
    into.avg[at] = min + (width * at_(places, n)) / PLACES;
    into.last[at] = last === 1 ? Number.NaN : min + last / 2;
    n++;
  }
}

type Scratch = readonly [Float64Array, Float64Array, Float64Array, Float64Array, Float64Array];

const rooms = new Map<number, Scratch>();

/** Room of `unpack`, which works through a year's rows in one call: kept for each of the few lengths that there are. */
function scratch(length: number): Scratch {
  let room = rooms.get(length);
  if (!room) {
    const column = () => new Float64Array(length);
    room = [column(), column(), column(), column(), column()];
    rooms.set(length, room);
  }
  return room;
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

/** The difference that `differences` wrote so. */
function signed(value: number): number {
  const half = Math.floor(value / 2);
  return 2 * half === value ? half : -half - 1;
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

/** Reader of packed numbers; after the end of the bytes it reads zeros. */
class Reader {
  readonly #bytes: Uint8Array;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  number(): number {
    const byte = this.#next();
    return byte >= 128 ? this.#longer(byte) : byte;
  }

  /** Up to three bytes are integers of the machine; a product for each byte would take twice as long. */
  #longer(first: number): number {
    const second = this.#next();
    const low = (first & 127) | ((second & 127) << 7);
    if (second < 128) return low;
    const third = this.#next();
    let value = low | ((third & 127) << 14);
    for (let factor = 2 ** 21, byte = third; byte >= 128; factor *= 128) {
      byte = this.#next();
      value += (byte & 127) * factor;
    }
    return value;
  }

  column(into: Float64Array, length: number): void {
    for (let at = 0; at < length; ) {
      const value = this.number();
      if (value !== 0) {
        into[at++] = value;
        continue;
      }
      const zeros = Math.max(1, this.number());
      into.fill(0, at, Math.min(at + zeros, length));
      at += zeros;
    }
  }

  #next(): number {
    return this.#at < this.#bytes.length ? (this.#bytes[this.#at++] as number) : 0;
  }
}
