/** Sixteen digits in a row: the only integers that a double may change have them. A string that has them costs time only. */
const LONG = /\d{16}/;
const INTEGER = /^-?\d+$/;

/** Integers beyond 2^53 become BigInt; where the engine does not tell the text of a number, they are rounded. */
export function parseJson(text: string): unknown {
  if (!LONG.test(text)) return JSON.parse(text);
  const exact = (_key: string, value: unknown, context?: { source?: string }): unknown => {
    const source = context?.source ?? '';
    const isRounded = typeof value === 'number' && !Number.isSafeInteger(value);
    return isRounded && INTEGER.test(source) ? BigInt(source) : value;
  };
  return JSON.parse(text, exact);
}

/** `JSON.rawJSON`, which is not in every engine's types yet. */
const { rawJSON } = JSON as { rawJSON?: (text: string) => unknown };

/** @throws TypeError for a BigInt where the engine has no `JSON.rawJSON` */
export const stringifyJson = (value: unknown): string =>
  JSON.stringify(value, (_key, member) =>
    typeof member === 'bigint' && rawJSON ? rawJSON(String(member)) : member,
  );
