/** Media types and their extensions (static-http.md §B5). */
const extensions: { readonly [type: string]: string } = {
  'application/epub+zip': 'epub',
  'application/gzip': 'gz tgz',
  'application/java-archive': 'jar',
  'application/json': 'json map',
  'application/ld+json': 'jsonld',
  'application/manifest+json': 'webmanifest',
  'application/msword': 'doc dot',
  'application/pdf': 'pdf',
  'application/rtf': 'rtf',
  'application/vnd.ms-excel': 'xls',
  'application/vnd.ms-powerpoint': 'ppt',
  'application/vnd.oasis.opendocument.presentation': 'odp',
  'application/vnd.oasis.opendocument.spreadsheet': 'ods',
  'application/vnd.oasis.opendocument.text': 'odt',
  'application/vnd.openxmlformats-officedocument.presentationml.presentation': 'pptx',
  'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet': 'xlsx',
  'application/vnd.openxmlformats-officedocument.wordprocessingml.document': 'docx',
  'application/wasm': 'wasm',
  'application/x-7z-compressed': '7z',
  'application/x-bzip2': 'bz2',
  'application/x-sh': 'sh',
  'application/x-tar': 'tar',
  'application/x-xz': 'xz',
  'application/xhtml+xml': 'xhtml',
  'application/zip': 'zip',
  'application/zstd': 'zst',
  'audio/aac': 'aac',
  'audio/flac': 'flac',
  'audio/midi': 'mid midi',
  'audio/mp4': 'm4a',
  'audio/mpeg': 'mp3',
  'audio/ogg': 'oga ogg opus',
  'audio/wav': 'wav',
  'font/otf': 'otf',
  'font/ttf': 'ttf',
  'font/woff': 'woff',
  'font/woff2': 'woff2',
  'image/avif': 'avif',
  'image/bmp': 'bmp',
  'image/gif': 'gif',
  'image/heic': 'heic',
  'image/jpeg': 'jpg jpeg',
  'image/png': 'png',
  'image/svg+xml': 'svg',
  'image/tiff': 'tif tiff',
  'image/webp': 'webp',
  'image/x-icon': 'ico',
  'text/calendar': 'ics',
  'text/css': 'css',
  'text/csv': 'csv',
  'text/html': 'html htm',
  'text/javascript': 'js mjs',
  'text/markdown': 'md markdown',
  'text/plain': 'txt text log conf ini',
  'text/vcard': 'vcf',
  'text/xml': 'xml',
  'text/yaml': 'yaml yml',
  'video/mp4': 'mp4 m4v',
  'video/mpeg': 'mpg mpeg',
  'video/quicktime': 'mov',
  'video/webm': 'webm',
  'video/x-matroska': 'mkv',
  'video/x-msvideo': 'avi',
};

const types: ReadonlyMap<string, string> = new Map(
  Object.entries(extensions).flatMap(([type, list]) =>
    list.split(' ').map((extension) => [extension, type] as const),
  ),
);

const UNKNOWN = 'application/octet-stream';

/** The type by the text after the last dot, any case, without charset: the bytes are not looked at (static-http.md §B5). */
export const mediaType = (name: string): string =>
  types.get(name.slice(name.lastIndexOf('.') + 1).toLowerCase()) ?? UNKNOWN;

/** Types that a browser gets: with charset, and some under an older name (static-http.md §A4). */
const text = 'css csv htm html js json map md mjs txt webmanifest xml'.split(' ');
const other = 'avif gif ico jpeg jpg mp3 mp4 otf pdf png svg ttf wasm webm webp woff woff2'.split(
  ' ',
);
const renamed: { readonly [type: string]: string } = {
  'text/javascript': 'application/javascript',
  'text/xml': 'application/xml',
};

const webTypes: ReadonlyMap<string, string> = new Map([
  ...text.map((extension) => {
    const type = mediaType(`.${extension}`);
    return [extension, `${renamed[type] ?? type}; charset=utf-8`] as const;
  }),
  ...other.map((extension) => [extension, mediaType(`.${extension}`)] as const),
]);

/** The type of a file on the web: the extensions of static-http.md §A4 and its additions; `.html` alone has no extension. */
export function webType(name: string): string {
  const dot = name.lastIndexOf('.');
  const found = dot > 0 ? webTypes.get(name.slice(dot + 1).toLowerCase()) : undefined;
  return found ?? UNKNOWN;
}
