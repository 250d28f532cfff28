import { sameInEveryCopy } from '../util/same-class.ts';

/**
 * JSON text made elsewhere (SQL, a cache) that goes into the response as it is.
 * Bytes must be UTF-8; they are not checked.
 */
export class RawJson {
  static {
    sameInEveryCopy(RawJson, 'RawJson');
  }
  readonly text: string | Uint8Array;

  constructor(text: string | Uint8Array) {
    this.text = text;
  }
}

/**
 * Serialises like `JSON.stringify`, and writes BigInt as a plain integer (64-bit values stay exact).
 * @throws TypeError for cycles, as `JSON.stringify`
 */
export function stringifyJson(value: unknown): string {
  try {
    return JSON.stringify(value) ?? 'null';
  } catch (error) {
    if (!(error instanceof TypeError) || !/BigInt/.test(error.message)) throw error;
    return stringifyExact(value) ?? 'null';
  }
}

/** Writes as `stringifyJson` does; a `RawJson` inside the value is written as its text. */
export function stringifyExact(value: unknown): string | undefined {
  if (typeof value === 'bigint') return value.toString();
  if (value instanceof RawJson) return String(value.text);
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (Array.isArray(value))
    return `[${value.map((item) => stringifyExact(item) ?? 'null').join(',')}]`;
  const json = (value as { toJSON?: unknown }).toJSON;
  if (typeof json === 'function') return stringifyExact(json.call(value));
  const members: string[] = [];
  for (const [name, member] of Object.entries(value)) {
    const text = stringifyExact(member);
    if (text !== undefined) members.push(`${JSON.stringify(name)}:${text}`);
  }
  return `{${members.join(',')}}`;
}
