import { utf8Of } from '../../../parts/index.ts';

/** A file as standard base64. @throws DOMException when the browser cannot read it */
export const toBase64 = (file: Blob): Promise<string> =>
  new Promise((done, fail) => {
    const reader = new FileReader();
    reader.onload = () => done(String(reader.result).replace(/^[^,]*,?/, ''));
    reader.onerror = () => fail(reader.error);
    reader.readAsDataURL(file);
  });

const types: Readonly<Record<string, string>> = {
  png: 'image/png',
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  gif: 'image/gif',
  webp: 'image/webp',
  avif: 'image/avif',
  svg: 'image/svg+xml',
  ico: 'image/x-icon',
  bmp: 'image/bmp',
  mp3: 'audio/mpeg',
  wav: 'audio/wav',
  ogg: 'audio/ogg',
  m4a: 'audio/mp4',
  flac: 'audio/flac',
  mp4: 'video/mp4',
  webm: 'video/webm',
};

/** Media type of a picture, sound or film by its name; undefined: it may be text. */
export const mediaType = (path: string): string | undefined =>
  types[/\.(\w+)$/.exec(path)?.[1]?.toLowerCase() ?? ''];

/** Returns the bytes as text; undefined: they are none. */
export const textOf = (bytes: Uint8Array): string | undefined =>
  bytes.subarray(0, 8_000).includes(0) ? undefined : utf8Of(bytes);
