import type { Stats } from 'node:fs';
import { lstat, mkdir } from 'node:fs/promises';
import type { WirePath } from '@svc/plugin-static-bucket/api';
import { type Answer, codeOf, Refusal } from '../answers.ts';
import { failuresAnswer } from '../multistatus.ts';
import { isBelow, keyOf } from '../paths.ts';
import { type DavRequest, depthOf } from '../request.ts';
import { copyFile, copyTree, Failures, removeTree } from '../trees.ts';

interface Target {
  readonly path: WirePath;
  /** What stands there, links not followed. */
  readonly found: Stats | undefined;
}

/** RFC 4918 §9.8, static-http.md B4. */
export async function copy(request: DavRequest): Promise<Answer> {
  const depth = depthOf(request);
  if (depth === '1') throw new Refusal(400);
  const target = await targetOf(request);
  const source = await request.mustExist();
  const { path, found } = await ready(request, target, source);
  const { bucket, key, parts } = request;
  const deep = depth !== '0';
  const stored = await parts.properties.copy(bucket.id, key, keyOf(path), { deep });
  if (!stored) throw new Refusal(507);
  const failures = new Failures(request);
  if (!(await makeRoom(request, target, source, failures))) return failuresAnswer(failures.list);
  if (!source.isDirectory()) await copyFile(request, request.path, path);
  else if (deep) await copyTree(request, request.path, path, failures);
  else await mkdir(await request.files.prepare(path));
  parts.buckets.touch();
  if (failures.list.length > 0) return failuresAnswer(failures.list);
  return { status: found ? 204 : 201 };
}

/** RFC 4918 §9.9: one rename. */
export async function move(request: DavRequest): Promise<Answer> {
  const depth = depthOf(request);
  if (depth === '0' || depth === '1') throw new Refusal(400);
  const target = await targetOf(request);
  const { bucket, key, parts, files } = request;
  const source = await lstat(await files.locate(request.path, { follow: false }));
  if (request.path.length === 0) throw new Refusal(403);
  const to = keyOf(target.path);
  if (isBelow(to, key)) throw new Refusal(500);
  // What holds the source cannot make room for it.
  if (isBelow(key, to)) throw new Refusal(403);
  const { path, found } = await ready(request, target, source);
  await request.checkLocks({ path: key, below: true, member: true });
  const failures = new Failures(request);
  if (!(await makeRoom(request, target, source, failures))) return failuresAnswer(failures.list);
  await files.rename(request.path, path);
  await parts.locks.releaseAll(bucket.id, key);
  await parts.properties.move(bucket.id, key, to);
  return { status: found ? 204 : 201 };
}

/** @throws Refusal 400 no or bad destination, 502 another bucket or server, 403 the resource itself */
async function targetOf(request: DavRequest): Promise<Target> {
  const { destination } = request.headers;
  if (typeof destination !== 'string' || destination === '') throw new Refusal(400);
  const { bucket, segments } = request.parts.addresses.ofReference(destination);
  if (bucket !== request.bucket.name) throw new Refusal(502);
  const path = request.wirePath(segments);
  if (keyOf(path) === request.key) throw new Refusal(403);
  return { path, found: undefined };
}

/** Checks in the order of the page; the target with what stands there. @throws Refusal 409, 412, 423, 403 */
async function ready(request: DavRequest, { path }: Target, source: Stats): Promise<Target> {
  await request.checkConditions(source);
  if (path.length === 0 || isBelow(request.key, keyOf(path))) throw new Refusal(403);
  await request.requireParent(path);
  const found = await lookAt(request, path);
  if (found && request.headers['overwrite'] === 'F') throw new Refusal(412);
  await request.checkLocks({ path: keyOf(path), below: true, member: !found });
  return { path, found };
}

async function lookAt(request: DavRequest, path: WirePath): Promise<Stats | undefined> {
  try {
    return await lstat(await request.files.locate(path, { follow: false }));
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}

/** Removes what the source replaces; a file takes the place of a file by itself. @returns false when that failed */
async function makeRoom(
  request: DavRequest,
  { path }: Target,
  source: Stats,
  failures: Failures,
): Promise<boolean> {
  const found = await lookAt(request, path);
  if (!found || (found.isFile() && source.isFile())) return true;
  const real = await request.files.locate(path, { follow: false });
  return removeTree(real, path, failures);
}
