import type { Stats } from 'node:fs';
import type { Answer } from '../answers.ts';
import type { DavRequest } from '../request.ts';

/** Headers that announce WebDAV (RFC 4918 §10.1). Windows requires the second one. */
export const DAV_HEADERS = {
  dav: '1,2,3,sabredav-partialupdate',
  'ms-author-via': 'DAV',
} as const;

// As in static-http.md §B4: PROPPATCH works, but is not listed.
const FILE = 'HEAD,GET,PATCH,PUT,OPTIONS,PROPFIND,COPY,MOVE,DELETE,LOCK,UNLOCK';
const DIRECTORY = 'OPTIONS,PROPFIND,COPY,MOVE,DELETE,LOCK,UNLOCK';
const BUCKET = 'OPTIONS,PROPFIND,COPY,LOCK,UNLOCK';
const MISSING = 'OPTIONS,MKCOL,PUT,LOCK';

/** The value of `allow` for the resource at the path. */
export function allowed(request: DavRequest, found: Stats | undefined): string {
  if (!found) return MISSING;
  if (!found.isDirectory()) return FILE;
  return request.path.length === 0 ? BUCKET : DIRECTORY;
}

export async function options(request: DavRequest): Promise<Answer> {
  const allow = allowed(request, await request.look());
  return { status: 200, headers: { ...DAV_HEADERS, allow } };
}
