import type { Stats } from 'node:fs';
import type { Answer } from '../answers.ts';
import type { DavRequest } from '../request.ts';

/** What says that this server speaks WebDAV (RFC 4918 §10.1); the last header makes Windows use it. */
export const DAV_HEADERS = {
  dav: '1,2,3,sabredav-partialupdate',
  'ms-author-via': 'DAV',
} as const;

// As static-http.md B4 has them: PROPPATCH works and is never listed.
const FILE = 'HEAD,GET,PATCH,PUT,OPTIONS,PROPFIND,COPY,MOVE,DELETE,LOCK,UNLOCK';
const DIRECTORY = 'OPTIONS,PROPFIND,COPY,MOVE,DELETE,LOCK,UNLOCK';
const BUCKET = 'OPTIONS,PROPFIND,COPY,LOCK,UNLOCK';
const MISSING = 'OPTIONS,MKCOL,PUT,LOCK';

/** Value of `allow` for what stands at the path. */
export function allowed(request: DavRequest, found: Stats | undefined): string {
  if (!found) return MISSING;
  if (!found.isDirectory()) return FILE;
  return request.path.length === 0 ? BUCKET : DIRECTORY;
}

export async function options(request: DavRequest): Promise<Answer> {
  const allow = allowed(request, await request.look());
  return { status: 200, headers: { ...DAV_HEADERS, allow } };
}
