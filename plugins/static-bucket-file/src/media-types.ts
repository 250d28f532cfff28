const utf8 = (type: string) => `${type}; charset=utf-8`;

/** Types by extension: static-http.md A4 and its additions. */
const types: ReadonlyMap<string, string> = new Map([
  ['html', utf8('text/html')],
  ['htm', utf8('text/html')],
  ['css', utf8('text/css')],
  ['js', utf8('application/javascript')],
  ['mjs', utf8('application/javascript')],
  ['json', utf8('application/json')],
  ['map', utf8('application/json')],
  ['webmanifest', utf8('application/manifest+json')],
  ['txt', utf8('text/plain')],
  ['md', utf8('text/markdown')],
  ['csv', utf8('text/csv')],
  ['xml', utf8('application/xml')],
  ['svg', 'image/svg+xml'],
  ['png', 'image/png'],
  ['jpg', 'image/jpeg'],
  ['jpeg', 'image/jpeg'],
  ['gif', 'image/gif'],
  ['webp', 'image/webp'],
  ['avif', 'image/avif'],
  ['ico', 'image/x-icon'],
  ['woff2', 'font/woff2'],
  ['woff', 'font/woff'],
  ['ttf', 'font/ttf'],
  ['otf', 'font/otf'],
  ['wasm', 'application/wasm'],
  ['pdf', 'application/pdf'],
  ['mp4', 'video/mp4'],
  ['webm', 'video/webm'],
  ['mp3', 'audio/mpeg'],
]);

/** By the text after the last dot, any case; `.html` alone has no extension. */
export function mediaType(name: string): string {
  const dot = name.lastIndexOf('.');
  const found = dot > 0 ? types.get(name.slice(dot + 1).toLowerCase()) : undefined;
  return found ?? 'application/octet-stream';
}

/** True where a pre-compressed sibling makes sense; the others are compressed already. */
export const isCompressible = (type: string): boolean =>
  /charset=utf-8|svg|wasm|font\/(?:ttf|otf)|x-icon/.test(type);
