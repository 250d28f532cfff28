import { RpcError } from '@svc/plugin-sdk';
import { codeOf } from '@svc/plugin-sdk/util';
import type {
  Bucket,
  BucketFiles,
  FileChange,
  FileLocks,
  StaticBuckets,
  WirePath,
} from '@svc/plugin-static-bucket/api';

const LOCKED = 'locked over WebDAV; the lock ends within two minutes unless its client renews it';

/** @throws RpcError 101 when a lock forbids one of the changes */
export async function demandUnlocked(
  what: string,
  locks: FileLocks | undefined,
  bucket: Bucket,
  changes: readonly FileChange[],
): Promise<void> {
  if (await locks?.isLocked(bucket, changes)) throw RpcError.io(what + LOCKED);
}

/** The bytes, followed by a check right before they take the place of the file. */
export async function* checkedAtEnd(
  bytes: Uint8Array,
  check: () => Promise<void>,
): AsyncGenerator<Uint8Array, void> {
  yield bytes;
  await check();
}

/** Change that an upload makes: of the file, or, as a member of its directory, of the first missing parent or the new file. */
export async function changeOfUpload(
  buckets: StaticBuckets,
  files: BucketFiles,
  path: WirePath,
): Promise<FileChange> {
  let change: FileChange = { path };
  for (let length = path.length; length > 0; length--) {
    const place = buckets.wirePath(path.slice(0, length).join('/'), 'rpc');
    if (!(await isMissing(files, place))) return change;
    change = { path: place, member: true };
  }
  return change;
}

async function isMissing(files: BucketFiles, path: WirePath): Promise<boolean> {
  try {
    await files.locate(path, { follow: true });
    return false;
  } catch (error) {
    // The write itself reports everything else.
    return codeOf(error) === 'ENOENT';
  }
}
