import { countingIn, type Kernel } from '@svc/plugin-sdk';
import { BoundedCache } from '@svc/plugin-sdk/util';
import type { Bucket, StaticBuckets } from './api.ts';
import { FilesOfBucket } from './files/bucket-files.ts';
import { holdsAnything, makeBase, realBase } from './files/contain.ts';
import { sweepBucket } from './files/sweep.ts';
import { isTemporary } from './files/temporary.ts';
import { Usage } from './files/usage.ts';
import { Records } from './records.ts';
import { checkName, checkPath, segmentsOf } from './rules.ts';
import { type BucketStore, openBucketStore } from './store.ts';
import { wirePath } from './wire-path.ts';

const DAY_MS = 86_400_000;
/** Directories whose bytes are remembered; those that were least recently used are counted again at their next use. */
const REMEMBERED = 1_000;

type Scope = Pick<
  Kernel<unknown, { readonly static_path: string }>,
  'db' | 'log' | 'root' | 'useOptional'
>;

interface BucketsOptions {
  /** Tells the other servers that records have changed. */
  readonly announce: () => void;
  /** Tells whether the token that wrote the record has gone and the operator does not want its buckets served. */
  readonly isSuspended: (bucket: Bucket) => boolean | Promise<boolean>;
  /** Bytes that one bucket may hold; 0: no limit. */
  readonly maxBytes: () => number;
}

/** Creates the records of the buckets, and the service that other plugins use. */
export function createBuckets(
  { db, log, root, useOptional }: Scope,
  { announce, isSuspended, maxBytes }: BucketsOptions,
): {
  readonly records: Records;
  readonly service: StaticBuckets;
  /** Makes the directory of a bucket. A failure is only logged (static-bucket.md §5.1). */
  prepare(bucket: Bucket): Promise<void>;
  /** Tells whether something lies in the directory of a bucket; true also when that is unknown. */
  isInUse(path: string): Promise<boolean>;
  /** Removes unfinished uploads that are older than a day, and forgets former directories that hold nothing. */
  sweep(signal: AbortSignal): Promise<void>;
} {
  let version = 0;
  const touch = () => void version++;
  const store = openBucketStore(db, countingIn({ db, useOptional }));
  const records = new Records({ store, changed: touch, announce });
  // The path is checked again, because a row may have been written by SQL.
  const placeOf = ({ path }: Bucket) => ({ root: root.static_path, segments: checkPath(path) });
  const filesOf = openFiles(touch, maxBytes);
  const isServed = (bucket: Bucket) => bucket.enable !== false && not(isSuspended(bucket));
  const service: StaticBuckets = {
    folder: () => root.static_path,
    get: (name) => records.get(name),
    isServed,
    root: () => records.root(),
    list: () => records.list(),
    files: (bucket) => filesOf(placeOf(bucket)),
    checkName,
    wirePath: (text, form) => wirePath(text, form),
    isTemporary,
    version: () => version,
    touch,
  };
  return {
    records,
    service,
    async prepare(bucket) {
      try {
        const { root: directory, segments } = placeOf(bucket);
        await makeBase(directory, segments);
      } catch (error) {
        log.warn('bucket directory could not be made', { name: bucket.name, error });
      }
    },
    isInUse: (path) => holdsAnything(root.static_path, checkPath(path)),
    sweep: (signal) => sweepAll({ store, records, placeOf, log, folder: root.static_path }, signal),
  };
}

/** Negates a value; returns a promise only when it has to wait. */
const not = (is: boolean | Promise<boolean>): boolean | Promise<boolean> =>
  is instanceof Promise ? is.then((now) => !now) : !is;

interface Sweep extends Pick<Scope, 'log'> {
  readonly store: BucketStore;
  readonly records: Records;
  readonly placeOf: (bucket: Bucket) => Place;
  readonly folder: string;
}

async function sweepAll(
  { store, records, placeOf, log, folder }: Sweep,
  signal: AbortSignal,
): Promise<void> {
  // Files have the machine's time, not that of the kernel's clock.
  const options = { before: Date.now() - DAY_MS, signal };
  for (const bucket of records.list()) {
    const { name } = bucket;
    try {
      const { root, segments } = placeOf(bucket);
      const removed = await sweepBucket(root, segments, options);
      if (removed > 0) log.info('unfinished uploads removed', { name, removed });
    } catch (error) {
      // A bad path in a row, or a link in the way. The other buckets are swept nevertheless.
      log.warn('unfinished uploads could not be removed', { name, error });
    }
  }
  await forgetEmpty(store, folder, signal);
}

/** Forgets former directories that hold nothing: nothing in them can be taken over. */
async function forgetEmpty(store: BucketStore, root: string, signal: AbortSignal): Promise<void> {
  // A file system that is not mounted looks empty too.
  if (!(await holdsAnything(root, []))) return;
  let keys = await store.formerAfter('');
  while (keys.length > 0) {
    for (const key of keys) {
      if (signal.aborted) return;
      if (!(await holdsAnything(root, segmentsOf(key)))) await store.forget(key);
    }
    keys = await store.formerAfter(keys.at(-1) as string);
  }
}

interface Place {
  readonly root: string;
  readonly segments: readonly string[];
}

/** The files of a place. Buckets that share a directory share its bytes. */
function openFiles(touch: () => void, maxBytes: () => number): (place: Place) => FilesOfBucket {
  // An upload under way stays: its file does not count yet.
  const usages = new BoundedCache<string, Usage>({ most: REMEMBERED, keeps: ({ idle }) => !idle });
  return ({ root, segments }) => {
    const key = JSON.stringify([root, ...segments]);
    const usage = usages.get(key) ?? new Usage(() => realBase(root, segments));
    usages.set(key, usage);
    const most = maxBytes() || Number.MAX_SAFE_INTEGER;
    return new FilesOfBucket({ root, segments, touch, usage, most });
  };
}
