import { lstat, readdir } from 'node:fs/promises';
import { type Answer, Refusal } from '../answers.ts';
import { failuresAnswer } from '../multistatus.ts';
import { type DavRequest, depthOf } from '../request.ts';
import { Failures, removeTree } from '../trees.ts';

/** Removes a resource and everything below it. Of a link it removes the link itself (RFC 4918 §9.6). */
export async function remove(request: DavRequest): Promise<Answer> {
  const { path, key, files, bucket, parts } = request;
  const depth = depthOf(request);
  if (depth === '1') throw new Refusal(400);
  if (path.length === 0) throw new Refusal(403);
  const real = await files.locate(path, { follow: false });
  return parts.turns.run(real, async () => {
    const found = await lstat(real);
    await request.checkConditions(found);
    await request.checkLocks({ path: key, below: true, member: true });
    if (depth === '0' && found.isDirectory() && (await readdir(real)).length > 0)
      throw new Refusal(405);
    const failures = new Failures(request);
    const isGone = await removeTree(real, path, failures);
    parts.buckets.touch();
    if (!isGone) return failuresAnswer(failures.list);
    await parts.locks.releaseAll(bucket.id, key);
    await parts.properties.drop(bucket.id, key);
    return { status: 204 };
  });
}
