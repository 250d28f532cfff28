export type LogoType = 'image/png' | 'image/jpeg' | 'image/webp' | 'image/svg+xml';

/**
 * Content that could do more than draw. Logos are sent in a sandbox without scripts and shown in `<img>`, so this is the second wall;
 * document types can make a small file a very large one.
 */
const MORE_THAN_A_DRAWING = [
  /<!(?:DOCTYPE|ENTITY)/i,
  /<\s*(?:[\w-]+:)?(?:script|foreignObject|iframe|embed|object)\b/i,
  /<\?(?!xml\s)/i,
  /\son\w+\s*=/i,
  /javascript:/i,
];

/** Tells the type of an image by its content; undefined: it is not one of these. */
export function logoType(bytes: Buffer): LogoType | undefined {
  const begins = (...values: number[]) => values.every((value, at) => bytes[at] === value);
  if (begins(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a)) return 'image/png';
  if (begins(0xff, 0xd8, 0xff)) return 'image/jpeg';
  if (bytes.toString('latin1', 0, 4) === 'RIFF' && bytes.toString('latin1', 8, 12) === 'WEBP') {
    return 'image/webp';
  }
  const text = bytes.toString();
  return isSvg(text) && !MORE_THAN_A_DRAWING.some((one) => one.test(text))
    ? 'image/svg+xml'
    : undefined;
}

/** Is `<svg` the first element, behind a declaration and comments? Each character is looked at once, however many comments there are. */
function isSvg(text: string): boolean {
  let at = /^\ufeff?\s*(?:<\?xml[^>]*>\s*)?/.exec(text)?.[0].length ?? 0;
  const blank = /\s*/y;
  while (text.startsWith('<!--', at)) {
    const end = text.indexOf('-->', at + 4);
    if (end < 0) return false;
    blank.lastIndex = end + 3;
    blank.test(text);
    at = blank.lastIndex;
  }
  return /^<svg[\s>]/.test(text.slice(at, at + 5));
}
