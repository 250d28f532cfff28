import { codeOf } from '@svc/plugin-sdk/util';
import type { Parts } from './parts.ts';
import type { Resource } from './store-properties.ts';

const BATCH = 200;

type Needed = Pick<Parts, 'buckets' | 'clock' | 'locks' | 'properties'>;

export const removeExpiredLocks = ({ locks, clock }: Needed): Promise<void> =>
  locks.removeExpired(clock.now());

/** Removes properties and locks of files and buckets that were not removed through WebDAV. */
export async function removeOrphans(parts: Needed, signal: AbortSignal): Promise<void> {
  const { buckets, locks, properties } = parts;
  const isGone = goneBuckets(parts);
  for (const id of await locks.buckets()) if (isGone(id)) await locks.removeBucket(id);
  let after: Resource | undefined;
  for (;;) {
    const batch = await properties.resources(after, BATCH);
    for (const resource of batch) {
      signal.throwIfAborted();
      const { bucket_id, path } = resource;
      const bucket = buckets.list().find(({ id }) => id === bucket_id);
      if (!bucket && isGone(bucket_id)) await properties.removeBucket(bucket_id);
      else if (bucket && (await isMissing(parts, bucket, path)))
        await properties.drop(bucket_id, path);
    }
    after = batch.at(-1);
    if (batch.length < BATCH) return;
  }
}

/** Tells which buckets were removed. Ids only grow: an id above all those in memory may be a new bucket of another server. */
function goneBuckets({ buckets }: Needed): (id: number) => boolean {
  const known = new Set(buckets.list().map(({ id }) => id));
  const last = Math.max(0, ...known);
  return (id) => id < last && !known.has(id);
}

async function isMissing(
  { buckets }: Needed,
  bucket: Parameters<Parts['buckets']['files']>[0],
  path: string,
): Promise<boolean> {
  if (path === '') return false;
  try {
    const segments = buckets.wirePath(path, 'rpc');
    await buckets.files(bucket).locate(segments, { follow: true });
    return false;
  } catch (error) {
    // Other errors do not tell whether the file exists.
    return codeOf(error) === 'ENOENT';
  }
}
