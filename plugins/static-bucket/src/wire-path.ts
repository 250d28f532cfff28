import { RpcError } from '@svc/plugin-sdk';
import type { PathForm, WirePath } from './api.ts';
import { isTemporary } from './files/temporary.ts';

const REFUSED = 'Invalid path: path traversal detected';
const driveLetter = /^[A-Za-z]:/;
const loneSurrogate = /\p{Surrogate}/u;
/** Names that Windows takes for devices or silently changes. */
const windowsName = /^(?:con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³])(?:\.|$)|[. ]$|[<>:"|?*]/i;

/**
 * The one way from a path on the wire to a path in a bucket, for RPC, HTTP and WebDAV (static-bucket.md §2).
 * Empty and `.` segments are dropped. Refused are `..`, backslash, NUL, a leading drive letter, lone surrogates, over RPC
 * an absolute path, and names of unfinished uploads; on Windows also device names and characters that it cannot store.
 * WebDAV resolves its dot segments before it reads the bucket's name.
 * @throws RpcError 108 for a refused path, URIError for bad percent-encoding
 */
export function wirePath(
  text: string,
  form: PathForm,
  platform: NodeJS.Platform = process.platform,
): WirePath {
  const segments = split(text, form).filter((segment) => segment !== '' && segment !== '.');
  const refused = segments.some((segment) => isRefused(segment, platform));
  if (refused || driveLetter.test(segments[0] ?? '')) throw RpcError.invalid(REFUSED);
  return segments as readonly string[] as WirePath;
}

function split(text: string, form: PathForm): string[] {
  if (form === 'webdav') return text.split('/').map(decodeURIComponent);
  if (form === 'http') return decodeURIComponent(text).split('/');
  if (text.startsWith('/')) throw RpcError.invalid(REFUSED);
  return text.split('/');
}

function isRefused(segment: string, platform: NodeJS.Platform): boolean {
  return (
    segment === '..' ||
    /[\\/\0]/.test(segment) ||
    loneSurrogate.test(segment) ||
    isTemporary(segment) ||
    (platform === 'win32' && windowsName.test(segment))
  );
}
