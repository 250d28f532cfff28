/** Content codings in order of preference, with the ending of the file that holds the coded content. */
export const encodings = [
  { name: 'br', ending: '.br' },
  { name: 'gzip', ending: '.gz' },
] as const;
export type Encoding = (typeof encodings)[number]['name'];

/** Tells whether a pre-compressed sibling is looked for: files of the other types are compressed already. */
export const isCompressible = (type: string): boolean =>
  /charset=utf-8|svg|wasm|font\/(?:ttf|otf)|x-icon/.test(type);

/** Tells whether an `Accept-Encoding` field allows the coding (RFC 9110 §12.5.3). */
export function accepts(field: string | undefined, encoding: Encoding): boolean {
  if (field === undefined) return false;
  let wildcard = false;
  for (const item of field.toLowerCase().split(',')) {
    const [name, ...parameters] = item.split(';').map((part) => part.trim());
    const allowed = !parameters.some((parameter) => /^q=0(?:\.0{0,3})?$/.test(parameter));
    if (name === encoding || (name === 'x-gzip' && encoding === 'gzip')) return allowed;
    if (name === '*') wildcard = allowed;
  }
  return wildcard;
}
