import type { Entry } from '@svc/plugin-sdk/driver';
import type { SqlValue } from '@svc/plugin-sdk/sql';

const BOOL = 16;
const BYTEA = 17;
const INT8 = 20;
const INT2 = 21;
const INT4 = 23;
const TEXT = 25;
const FLOAT8 = 701;
const VARCHAR = 1043;
const JSONB = 3802;
const supported = new Set([BOOL, BYTEA, INT8, INT2, INT4, TEXT, FLOAT8, VARCHAR, JSONB]);

/** Signature, no flags, no extension. */
const HEADER = Buffer.from('PGCOPY\n\xff\r\n\0\0\0\0\0\0\0\0\0', 'latin1');
/** A count of columns that says there are no more rows. */
const END = -1;
const NULL = -1;
const TWO_32 = 2 ** 32;
/** Bytes of a length, and of the longest value that is not a text or bytes. */
const FIXED = 4 + 8;
/** Bytes of UTF-8, for a unit of a JavaScript string. */
const MOST_BYTES = 3;

/** Rows in the binary format of COPY. Texts take three times as long: they are digits for the most part. */
export class BinaryRows {
  readonly #types: readonly number[];
  #bytes = Buffer.alloc(0);
  #view = new DataView(this.#bytes.buffer);
  #at = 0;
  #rowBytes = 512;

  private constructor(types: readonly number[]) {
    this.#types = types;
  }

  /** @returns undefined where a column has a type that is only written as text */
  static of(types: readonly (number | undefined)[]): BinaryRows | undefined {
    const all = types.filter((type) => type !== undefined && supported.has(type)) as number[];
    return all.length === types.length ? new BinaryRows(all) : undefined;
  }

  /**
   * Rows, each with its id first when it has one.
   * @returns undefined when a value is not of its column's type: the database takes it, or says what is wrong with it, as text
   */
  write(entries: readonly Pick<Entry, 'id' | 'row'>[]): Buffer | undefined {
    this.#renew(HEADER.length + (entries.length + 1) * this.#rowBytes);
    this.#at = HEADER.copy(this.#bytes);
    for (const { id, row } of entries) {
      const first = id === undefined ? 0 : 1;
      this.#room(2 + FIXED * (first + row.length));
      this.#int16(first + row.length);
      if (id !== undefined && !this.#value(BigInt(id), 0)) return undefined;
      for (let column = 0; column < row.length; column++)
        if (!this.#value(row[column] ?? null, column + first)) return undefined;
    }
    this.#room(2);
    this.#int16(END);
    this.#rowBytes = Math.ceil(this.#at / entries.length);
    return this.#bytes.subarray(0, this.#at);
  }

  #value(value: SqlValue, column: number): boolean {
    const type = this.#types[column];
    if (typeof value === 'number') return this.#number(value, type);
    if (typeof value === 'string') return this.#text(value, type);
    if (value === null) {
      this.#int32(NULL);
      return true;
    }
    if (typeof value === 'bigint') {
      this.#int32(8);
      this.#view.setBigInt64(this.#at, value);
      this.#at += 8;
      return type === INT8 && BigInt.asIntN(64, value) === value;
    }
    if (typeof value === 'boolean') {
      this.#int32(1);
      this.#bytes[this.#at++] = value ? 1 : 0;
      return type === BOOL;
    }
    this.#int32(value.length);
    this.#room(value.length);
    this.#bytes.set(value, this.#at);
    this.#at += value.length;
    return type === BYTEA;
  }

  #number(value: number, type: number | undefined): boolean {
    if (type === INT8) {
      const high = Math.floor(value / TWO_32);
      this.#int32(8);
      this.#int32(high);
      this.#int32(value - high * TWO_32);
      return Number.isSafeInteger(value);
    }
    if (type === INT4) {
      this.#int32(4);
      this.#int32(value);
      return (value | 0) === value;
    }
    if (type === INT2) {
      this.#int32(2);
      this.#int16(value);
      return (value << 16) >> 16 === value;
    }
    this.#int32(8);
    this.#view.setFloat64(this.#at, value);
    this.#at += 8;
    return type === FLOAT8;
  }

  #text(value: string, type: number | undefined): boolean {
    this.#room(FIXED + value.length * MOST_BYTES);
    const length = this.#at;
    this.#at += 4;
    // The version of a document's format.
    if (type === JSONB) this.#bytes[this.#at++] = 1;
    this.#at += this.#bytes.write(value, this.#at);
    this.#view.setInt32(length, this.#at - length - 4);
    return type === JSONB || type === TEXT || type === VARCHAR;
  }

  #int16(value: number): void {
    this.#view.setInt16(this.#at, value);
    this.#at += 2;
  }

  #int32(value: number): void {
    this.#view.setInt32(this.#at, value);
    this.#at += 4;
  }

  /** Room for so many bytes, and for whatever of the row is not a text or bytes. */
  #room(bytes: number): void {
    const needed = this.#at + bytes + FIXED * this.#types.length;
    if (needed <= this.#bytes.length) return;
    const written = this.#bytes.subarray(0, this.#at);
    this.#renew(2 * needed);
    this.#bytes.set(written);
  }

  #renew(bytes: number): void {
    this.#bytes = Buffer.allocUnsafeSlow(bytes);
    this.#view = new DataView(this.#bytes.buffer);
  }
}
