import { type Auth, described, type Methods, RpcError, Type } from '@svc/plugin-sdk';
import { nullable } from '@svc/plugin-sdk/schemas';
import { trim } from '@svc/plugin-sdk/util';
import type { Bucket } from './api.ts';
import { mayDelete, mayList, mayRead, mayWrite } from './permissions.ts';
import type { Records } from './records.ts';
import { checkName, checkPath } from './rules.ts';
import { claimantOf, claimDirectory, claimRoot, ownedBy } from './takeover.ts';

const Name = Type.String({ description: 'Name of the bucket.' });
const Record = Type.Object({
  id: Type.Integer(),
  name: Type.String(),
  path: Type.String(),
  is_http_root: Type.Boolean(),
  cors: Type.Boolean(),
  enable: Type.Union([Type.Boolean(), Type.Null()]),
  owner: Type.Optional(
    Type.String({ description: 'Token key of the last writer; absent: the Super Token.' }),
  ),
});
const settings = {
  name: Name,
  path: Type.String({ description: 'Directory under the static root.' }),
  is_http_root: Type.Boolean({ description: "Serve at the server's root." }),
  cors: Type.Boolean({ description: 'Send CORS headers.' }),
};

/** Parts that the methods work with. */
export interface Parts {
  readonly records: Records;
  readonly auth: Auth;
  /** Tells whether something lies in this directory under the static root. */
  readonly isInUse: (path: string) => Promise<boolean>;
  /** Makes a bucket's directory; a failure is logged, never thrown. */
  readonly prepare: (bucket: Bucket) => Promise<void>;
}

/** `static-bucket_*` (static-bucket.md §5). */
export function addMethods(methods: Methods, parts: Parts): void {
  addCreate(methods, parts);
  addRead(methods, parts);
  addUpdate(methods, parts);
  addDelete(methods, parts);
  addList(methods, parts);
}

function addCreate(methods: Methods, parts: Parts): void {
  methods.add('static-bucket_create', {
    summary: 'Creates a bucket and its directory.',
    params: settings,
    result: Record,
    audit: ({ name }) => name,
    access: mayWrite,
    async handle({ is_http_root, cors, ...given }, { caller, log }) {
      const { name, path } = checkedPlace(given);
      const claimant = await claimantOf(caller, parts.auth);
      const what = { refused: 'Failed to create static: ', owner: ownedBy(claimant).owner };
      await parts.records.change(what, async (changes) => {
        if (changes.buckets.some((bucket) => bucket.name === name))
          throw RpcError.database(`Static '${name}' already exists`);
        if (is_http_root) claimRoot(name, changes.buckets, claimant);
        await claimDirectory({ ...parts, name, path, claimant }, changes);
        await changes.insert(name, { path, is_http_root, cors, ...ownedBy(claimant) });
      });
      log.info('bucket created', { name });
      return preparedRecord(parts, name);
    },
  });
}

function addRead(methods: Methods, { records }: Parts): void {
  methods.add('static-bucket_read', {
    summary: 'One bucket record.',
    params: { name: Name },
    result: Record,
    access: mayRead,
    handle({ name }) {
      const bucket = recordOf(records, name);
      return { ...viewOf(bucket), ...(bucket.owner !== null && { owner: bucket.owner }) };
    },
  });
}

function addUpdate(methods: Methods, parts: Parts): void {
  methods.add('static-bucket_update', {
    summary: 'Replaces the settings of a bucket; files are not moved.',
    params: {
      ...settings,
      enable: described(
        nullable(Type.Boolean()),
        '`false` switches HTTP off, null on. Absent: as it is.',
      ),
    },
    result: Record,
    audit: ({ name }) => name,
    access: mayWrite,
    async handle({ is_http_root, cors, enable, ...given }, { caller, log }) {
      const { name, path } = checkedPlace(given);
      const claimant = await claimantOf(caller, parts.auth);
      const what = { refused: 'Failed to update static: ', owner: ownedBy(claimant).owner };
      await parts.records.change(what, async (changes) => {
        const old = changes.buckets.find((bucket) => bucket.name === name);
        if (!old) throw notFound(name);
        if (is_http_root && !old.is_http_root) claimRoot(name, changes.buckets, claimant);
        // A row of an older program may overlap another one. With its path unchanged it can still be disabled.
        if (path !== old.path) {
          await claimDirectory({ ...parts, name, path, old, claimant }, changes);
          await changes.leave(old);
        }
        const kept = enable === undefined ? old.enable : enable;
        const settings = { path, is_http_root, cors, ...ownedBy(claimant) };
        await changes.update(name, { ...settings, enable: kept });
      });
      log.info('bucket changed', { name });
      return preparedRecord(parts, name);
    },
  });
}

function addDelete(methods: Methods, { records }: Parts): void {
  methods.add('static-bucket_delete', {
    summary: 'Deletes a bucket record; the files stay on disk.',
    params: { name: Name },
    result: Type.Object({ success: Type.Boolean() }),
    audit: ({ name }) => name,
    access: mayDelete,
    async handle(given, { log }) {
      const name = trim(given.name);
      checkName(name);
      // Its former directory counts instead of it.
      const what = { refused: 'Failed to delete static: ', owner: null };
      await records.change(what, async ({ buckets, leave, remove }) => {
        const old = buckets.find((bucket) => bucket.name === name);
        if (!old) throw notFound(name);
        await leave(old);
        await remove(name);
      });
      log.info('bucket deleted', { name });
      return { success: true };
    },
  });
}

function addList(methods: Methods, { records }: Parts): void {
  methods.add('static-bucket_list', {
    summary: 'Names of all buckets, ascending.',
    params: {},
    result: Type.Array(Type.String()),
    access: mayList,
    malformed: (reason) => RpcError.denied(`Parse error: Failed to parse token: ${reason}`),
    handle: () => records.list().map(({ name }) => name),
  });
}

/** Name and path without surrounding white space. @throws RpcError 108 */
function checkedPlace(given: { readonly name: string; readonly path: string }) {
  const [name, path] = [trim(given.name), trim(given.path)];
  checkName(name);
  checkPath(path);
  return { name, path };
}

function recordOf(records: Records, name: string): Bucket {
  const bucket = records.get(name);
  if (!bucket) throw notFound(name);
  return bucket;
}

/** The record, after its directory has been made. */
async function preparedRecord({ records, prepare }: Parts, name: string) {
  const bucket = recordOf(records, name);
  await prepare(bucket);
  return viewOf(bucket);
}

/** View of a record for callers. */
const viewOf = ({ id, name, path, is_http_root, cors, enable }: Bucket) => ({
  id,
  name,
  path,
  is_http_root,
  cors,
  enable,
});

const notFound = (name: string) => RpcError.notFound(`Static '${name}' not found`);
