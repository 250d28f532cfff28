import { mkdir } from 'node:fs/promises';
import { type Answer, Refusal } from '../answers.ts';
import type { DavRequest } from '../request.ts';
import { allowed } from './options.ts';

/** Makes one collection (RFC 4918 §9.3). */
export async function mkcol(request: DavRequest): Promise<Answer> {
  const { path, files, parts } = request;
  if (path.length > 0) await request.requireParent();
  const found = await request.look();
  if (found) throw new Refusal({ status: 405, headers: { allow: allowed(request, found) } });
  await request.checkConditions(undefined);
  await request.checkLocks({ path: request.key, member: true });
  await files.charge();
  await mkdir(await files.prepare(path));
  parts.buckets.touch();
  await request.created();
  const headers = request.slash ? { 'content-location': request.href(path, true) } : {};
  return { status: 201, headers };
}
