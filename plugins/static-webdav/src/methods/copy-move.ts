import type { Stats } from 'node:fs';
import { lstat, mkdir } from 'node:fs/promises';
import { sep } from 'node:path';
import { codeOf } from '@svc/plugin-sdk/util';
import type { WirePath } from '@svc/plugin-static-bucket/api';
import { type Answer, Refusal } from '../answers.ts';
import { failuresAnswer } from '../multistatus.ts';
import { isBelow, keyOf } from '../paths.ts';
import { type DavRequest, depthOf } from '../request.ts';
import { copyFile, copyTree, Failures, removeTree } from '../trees.ts';

interface Target {
  readonly path: WirePath;
  /** Its path on the disk, a link at the end not followed. */
  readonly real: string;
  /** Its stat, when it exists. */
  readonly found: Stats | undefined;
}

/** Copies a resource (RFC 4918 §9.8, static-http.md §B4). */
export async function copy(request: DavRequest): Promise<Answer> {
  const depth = depthOf(request);
  if (depth === '1') throw new Refusal(400);
  const path = targetOf(request);
  const source = await request.mustExist();
  return withTarget(request, { path, source }, async (target) => {
    await apart(request, target, { follow: true });
    const { bucket, key, parts } = request;
    const deep = depth !== '0';
    const stored = await parts.properties.copy(bucket.id, key, keyOf(path), { deep });
    if (!stored) throw new Refusal(507);
    const failures = new Failures(request);
    if (!(await makeRoom(target, source, failures))) return failuresAnswer(failures.list);
    if (!source.isDirectory()) await copyFile(request, request.path, path);
    else if (deep)
      await copyTree(request, { from: request.path, to: path, without: target.real }, failures);
    else await mkdir(await request.files.prepare(path));
    parts.buckets.touch();
    if (failures.list.length > 0) return failuresAnswer(failures.list);
    return { status: target.found ? 204 : 201 };
  });
}

/** Moves a resource by one rename (RFC 4918 §9.9). */
export async function move(request: DavRequest): Promise<Answer> {
  const depth = depthOf(request);
  if (depth === '0' || depth === '1') throw new Refusal(400);
  const path = targetOf(request);
  const { bucket, key, parts, files } = request;
  const source = await lstat(await files.locate(request.path, { follow: false }));
  if (request.path.length === 0) throw new Refusal(403);
  const to = keyOf(path);
  if (isBelow(to, key)) throw new Refusal(500);
  return withTarget(request, { path, source }, async (target) => {
    const real = await apart(request, target, { follow: false });
    if (isIn(real, target.real)) throw new Refusal(500);
    await request.checkLocks({ path: key, below: true, member: true });
    const failures = new Failures(request);
    if (!(await makeRoom(target, source, failures))) return failuresAnswer(failures.list);
    await files.rename(request.path, path);
    await parts.locks.releaseAll(bucket.id, key);
    await parts.properties.move(bucket.id, key, to);
    return { status: target.found ? 204 : 201 };
  });
}

/** The path in `Destination`. @throws Refusal 400 missing or malformed, 502 another bucket, 403 the resource itself */
function targetOf(request: DavRequest): WirePath {
  const { destination } = request.headers;
  if (typeof destination !== 'string' || destination === '') throw new Refusal(400);
  const { bucket, segments } = request.parts.addresses.ofReference(destination);
  if (bucket !== request.bucket.name) throw new Refusal(502);
  const path = request.wirePath(segments);
  if (keyOf(path) === request.key) throw new Refusal(403);
  return path;
}

/**
 * Makes the checks in the order of static-http.md §B4, then works while no other request replaces the target.
 * @throws Refusal 403, 409, 412, 423
 */
async function withTarget(
  request: DavRequest,
  { path, source }: { readonly path: WirePath; readonly source: Stats },
  work: (target: Target) => Promise<Answer>,
): Promise<Answer> {
  await request.checkConditions(source);
  // A target that contains the source cannot be replaced by it.
  if (path.length === 0 || isBelow(request.key, keyOf(path))) throw new Refusal(403);
  await request.requireParent(path);
  const real = await request.files.locate(path, { follow: false });
  return request.parts.turns.run(real, async () => {
    const found = await lookAt(real);
    if (found && request.headers['overwrite'] === 'F') throw new Refusal(412);
    await request.checkLocks({ path: keyOf(path), below: true, member: !found });
    return work({ path, real, found });
  });
}

/**
 * Checks on real paths, because links give one resource several: the target must not be the source, nor contain it.
 * @returns the real path of the source @throws Refusal 403
 */
async function apart(
  request: DavRequest,
  target: Target,
  options: { readonly follow: boolean },
): Promise<string> {
  const source = await request.files.locate(request.path, options);
  if (isIn(target.real, source)) throw new Refusal(403);
  return source;
}

const isIn = (directory: string, path: string): boolean =>
  path === directory || path.startsWith(directory + sep);

async function lookAt(real: string): Promise<Stats | undefined> {
  try {
    return await lstat(real);
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}

/** Removes the target that the source replaces, unless both are files. @returns false when that failed */
async function makeRoom(
  { path, real }: Target,
  source: Stats,
  failures: Failures,
): Promise<boolean> {
  const found = await lookAt(real);
  if (!found || (found.isFile() && source.isFile())) return true;
  return removeTree(real, path, failures);
}
