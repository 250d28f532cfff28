import {
  type Auth,
  type CallContext,
  described,
  type Methods,
  optional,
  RpcError,
  Type,
} from '@svc/plugin-sdk';
import { RawJson } from '@svc/plugin-sdk/json';
import { JsonText } from '@svc/plugin-sdk/schemas';
import { codeOf } from '@svc/plugin-sdk/util';
import type {
  BucketFiles,
  FileLocks,
  OpenFile,
  StaticBuckets,
  WirePath,
} from '@svc/plugin-static-bucket/api';
import { bytesOfList } from './byte-list.ts';
import { base64Json, base64JsonSize, bytesOf, checkGiven } from './content.ts';
import { ioFailure } from './failures.ts';
import { bucketOf } from './names.ts';
import { deletion, mayDelete, mayList, mayRead, mayWrite, writing } from './permissions.ts';
import { changeOfUpload, checkedAtEnd, demandUnlocked } from './unlocked.ts';

const Name = Type.String({ description: 'Name of the bucket.' });
const Path = Type.String({
  description: 'Path relative to the bucket, without a slash at its start.',
});
const Success = Type.Object({ success: Type.Boolean() });
const success = { success: true };

export interface Parts {
  readonly buckets: StaticBuckets;
  readonly auth: Auth;
  /** Locks of another way of access; undefined: there are none. */
  readonly locks: FileLocks | undefined;
  readonly maxResponseBytes: () => number;
  /** The path of a file as a method takes it. @throws RpcError 108 */
  readonly pathOf: (text: string) => WirePath;
}

/** `static-bucket-file_*` (static-bucket.md §6). */
export function addMethods(methods: Methods, parts: Parts): void {
  addUpload(methods, parts);
  addRead(methods, parts);
  addDelete(methods, parts);
  addRename(methods, parts);
  addList(methods, parts);
}

function addUpload(methods: Methods, { buckets, locks, pathOf }: Parts): void {
  methods.add('static-bucket-file_upload', {
    summary: 'Writes one file atomically; missing parents are created.',
    params: {
      name: Name,
      path: Path,
      body: described(
        Type.Optional(JsonText),
        'The bytes of the file, each 0 to 255; or `base64`.',
      ),
      base64: described(optional(Type.String()), 'The bytes in standard base64; or `body`.'),
    },
    description: '`body` is a list of integers from 0 to 255.',
    result: Success,
    prepare: uploaded,
    audit: ({ name, path }) => `${name}/${path}`,
    access: mayWrite,
    check: checkGiven,
    async handle({ name, path, ...given }, { log }) {
      const bucket = bucketOf(buckets, name);
      const bytes = await bytesOf(given);
      const target = pathOf(path);
      const files = buckets.files(bucket);
      const what = 'Failed to write file: ';
      await attempt(what, log, async () => {
        if (!locks) return files.write(target, bytes);
        const check = async () =>
          demandUnlocked(what, locks, bucket, [await changeOfUpload(buckets, files, target)]);
        await check();
        return files.write(target, checkedAtEnd(bytes, check));
      });
      return success;
    },
  });
}

const uploaded = ({ body, ...given }: Upload) => ({ ...given, body: body && bytesOfList(body) });

interface Upload {
  readonly name: string;
  readonly path: string;
  readonly body?: RawJson | null;
  readonly base64?: string | null;
}

function addRead(methods: Methods, { buckets, maxResponseBytes, pathOf }: Parts): void {
  methods.add('static-bucket-file_read', {
    summary: 'The whole content of one file as base64.',
    params: { name: Name, path: Path },
    result: Type.String(),
    access: mayRead,
    async handle({ name, path }, { log }) {
      const files = buckets.files(bucketOf(buckets, name));
      const source = pathOf(path);
      return attempt('Failed to read file: ', log, async () => {
        const file = await files.open(source).catch((error) => {
          throw codeOf(error) === 'ENOENT' ? RpcError.notFound(`File not found: ${path}`) : error;
        });
        return contentOf(file, maxResponseBytes());
      });
    },
  });
}

/** The whole file as base64. Closes the file. */
async function contentOf(file: OpenFile, limit: number): Promise<RawJson> {
  try {
    if (file.stat.isDirectory())
      throw Object.assign(new Error('EISDIR: a directory'), { code: 'EISDIR' });
    if (base64JsonSize(file.stat.size) > limit) throw RpcError.responseTooBig(limit);
    return new RawJson(await base64Json(file));
  } finally {
    await file.close();
  }
}

function addDelete(methods: Methods, { buckets, locks, pathOf }: Parts): void {
  methods.add('static-bucket-file_delete', {
    summary: 'Removes one file; a missing one is no error.',
    params: { name: Name, path: Path },
    result: Success,
    audit: ({ name, path }) => `${name}/${path}`,
    access: mayDelete,
    async handle({ name, path }, { log }) {
      const bucket = bucketOf(buckets, name);
      const target = pathOf(path);
      const what = 'Failed to delete file: ';
      await attempt(what, log, async () => {
        await demandUnlocked(what, locks, bucket, [{ path: target, member: true }]);
        await buckets.files(bucket).remove(target);
      });
      return success;
    },
  });
}

function addRename(methods: Methods, { buckets, auth, locks, pathOf }: Parts): void {
  methods.add('static-bucket-file_rename', {
    summary: 'Renames or moves a file or directory inside one bucket.',
    params: { name: Name, from: Path, to: Path },
    result: Success,
    audit: ({ name, from, to }) => `${name}/${from} to ${to}`,
    right: {
      words: '`static_bucket_file` `write` and `delete`, in the scope `static_bucket` `<name>`',
      scopes: [{ static_bucket: '<name>' }],
      permissions: [{ static_bucket_file: 'write' }, { static_bucket_file: 'delete' }],
    },
    access: {
      async custom({ name }, call) {
        const caller = await call.authenticate();
        // One after the other: the denial names the one that is missing.
        for (const requirement of [writing(name), deletion(name)])
          if (!(await auth.allows(caller, requirement))) throw RpcError.denied(requirement.denied);
      },
    },
    async handle({ name, from, to }, { log }) {
      const bucket = bucketOf(buckets, name);
      const [source, target] = [pathOf(from), pathOf(to)];
      if (source.join('/') === target.join('/')) return success;
      const what = 'Failed to rename file: ';
      const changes = [source, target].map((path) => ({ path, below: true, member: true }));
      await attempt(what, log, async () => {
        await demandUnlocked(what, locks, bucket, changes);
        await moveFile(buckets.files(bucket), source, target, from);
      });
      return success;
    },
  });
}

async function moveFile(
  files: BucketFiles,
  from: WirePath,
  to: WirePath,
  given: string,
): Promise<void> {
  try {
    await files.rename(from, to);
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error;
    throw RpcError.notFound(`Source file not found: ${given}`);
  }
}

function addList(methods: Methods, { buckets, maxResponseBytes, pathOf }: Parts): void {
  methods.add('static-bucket-file_list', {
    summary: 'Every file of a bucket or of a directory in it, in byte order of the path.',
    params: {
      name: Name,
      path: described(
        optional(Type.String()),
        'The directory whose files are listed; absent or empty: the whole bucket. An addition.',
      ),
    },
    result: Type.Array(
      Type.Object({ path: Type.String(), size: Type.Integer(), mtime: Type.Integer() }),
    ),
    access: mayList,
    async handle({ name, path }, { log, signal }) {
      const files = buckets.files(bucketOf(buckets, name));
      const directory = pathOf(path ?? '');
      const maxBytes = maxResponseBytes();
      return attempt('Failed to read dir ', log, () =>
        files.list({ directory, maxBytes, signal }).catch((error) => {
          throw codeOf(error) === 'TOO_MUCH' ? RpcError.responseTooBig(maxBytes) : error;
        }),
      );
    },
  });
}

/** Runs file system work; failures become the errors of static-bucket.md §4. */
async function attempt<T>(
  what: string,
  log: CallContext['log'],
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw ioFailure(what, error, log);
  }
}
