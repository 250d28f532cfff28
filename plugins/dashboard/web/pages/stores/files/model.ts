import type { Methods } from '@svc/client';
import {
  address,
  navigate,
  type Resource,
  to,
  useCrumbs,
  usePoll,
  useServer,
  wire,
} from '../../../frame/index.ts';
import { fromBase64, saveFile, toast, undo } from '../../../parts/index.ts';
import { t } from '../../../strings/index.ts';
import { isOffered } from '../model.ts';
import type { Entry } from './entries.ts';
import { asFile, asFolder, folderOf, nameOf, parentOf, toFolder } from './paths.ts';
import { useUploads } from './upload.ts';

export type Bucket = Methods['static-bucket_read']['result'];

/** A deleted file that is smaller can come back. */
const MOST_UNDONE_BYTES = 2 ** 20;
const ANY_BUCKET = { name: 'a', path: 'a', is_http_root: false, cors: false };

/** Bucket, folder and file of the address. */
export function usePlace() {
  const { query } = address.value;
  const bucket = query.get('in');
  const path = query.get('file');
  const file = path === null ? null : asFile(path);
  const folder = asFolder(query.get('folder') ?? '');
  const parts = folder.split('/').slice(0, -1);
  const folders = parts.map((label, at) => ({
    label,
    folder: `${parts.slice(0, at + 1).join('/')}/`,
  }));
  useCrumbs(
    ...(bucket === null
      ? []
      : [{ label: bucket, folder: '' }, ...folders].map((one) => ({
          label: one.label,
          to: toFolder(bucket, one.folder),
        }))),
    ...(file === null ? [] : [{ label: nameOf(file) }]),
  );
  return { bucket, folder, file };
}

export function useBuckets() {
  const { call, may } = useServer();
  const list = usePoll('buckets', () => call('static-bucket_list'));
  return { list, mayCreate: isOffered(may('static-bucket_create', ANY_BUCKET)) };
}

export const useFiles = (bucket: string): Resource<readonly Entry[]> => {
  const { call } = useServer();
  return usePoll<readonly Entry[]>(`files ${bucket}`, () =>
    call('static-bucket-file_list', { name: bucket }),
  );
};

interface FolderOptions {
  readonly bucket: string;
  readonly folder: string;
  readonly files: Resource<readonly Entry[]>;
  /** The bucket is deleted, or has come back. */
  readonly onGone: () => void;
}

/** A folder of a bucket, its files, and the settings of the bucket. */
export function useFolder({ bucket, folder, files, onGone }: FolderOptions) {
  const { call, may } = useServer();
  const record = usePoll(`bucket ${bucket}`, () => call('static-bucket_read', { name: bucket }));
  const uploads = useUploads(bucket, files);
  const inside = (files.data ?? []).filter(({ path }) => path.startsWith(folder));
  const removeFiles = async () => {
    for (const { path } of inside) await call('static-bucket-file_delete', { name: bucket, path });
    files.refresh();
    navigate(toFolder(bucket, parentOf(folder)));
    toast(t.stores.removedFiles(inside.length));
  };
  const restore = async ({ name, path, is_http_root, cors }: Bucket) => {
    await call('static-bucket_create', { name, path, is_http_root, cors });
    onGone();
  };
  const removeBucket = async () => {
    const before = record.data;
    await call('static-bucket_delete', { name: bucket });
    onGone();
    navigate(to('stores', 'files'));
    toast(t.stores.removedBucket(bucket), before && undo(t.stores, () => restore(before)));
  };
  const setRecord = (made: Bucket) => {
    record.set(made);
    files.refresh();
  };
  return {
    record: record.data,
    setRecord,
    uploads,
    inside,
    removeFiles,
    removeBucket,
    mayWrite: isOffered(may('static-bucket-file_upload', { name: bucket, path: 'a', base64: '' })),
    mayDelete: isOffered(may('static-bucket-file_delete', { name: bucket, path: 'a' })),
    mayUpdate: isOffered(may('static-bucket_update', { ...ANY_BUCKET, name: bucket })),
    mayRemove: isOffered(may('static-bucket_delete', { name: bucket })),
  };
}

/** Returns what is wrong with the name of a new folder. */
export const folderMistake = (text: string): string | undefined =>
  /\\|(?:^|\/)\.\.(?:\/|$)/.test(text) || asFolder(text) === '' ? t.stores.badFolder : undefined;

export interface FileOptions {
  readonly bucket: string;
  readonly folder: string;
  readonly path: string;
  /** Undefined while the list is read, and for a file that is gone. */
  readonly entry: Entry | undefined;
  readonly onChanged: () => void;
}

/** A file of a bucket and what can be done with it. */
export function useFile({ bucket, folder, path, entry, onChanged }: FileOptions) {
  const { call, may, origin } = useServer();
  const file = { name: bucket, path };
  const name = nameOf(path);
  const read = async () => fromBase64(await call('static-bucket-file_read', file));
  const download = async () => saveFile(name, new Blob([await read()]));
  const move = async (typed: string) => {
    // A path counts from the bucket; the slash that people write before it is not sent.
    const next = asFile(typed);
    await call('static-bucket-file_rename', { name: bucket, from: path, to: next });
    onChanged();
    navigate(toFolder(bucket, folderOf(next), folderOf(next) + nameOf(next)));
    toast(t.stores.moved(next));
  };
  const restore = async (base64: string) => {
    await call('static-bucket-file_upload', { ...file, base64 });
    onChanged();
  };
  const remove = async () => {
    const isSmall = (entry?.size ?? MOST_UNDONE_BYTES) < MOST_UNDONE_BYTES;
    const before = isSmall ? await call('static-bucket-file_read', file) : undefined;
    await call('static-bucket-file_delete', file);
    onChanged();
    navigate(toFolder(bucket, folder));
    const way = before === undefined ? {} : undo(t.stores, () => restore(before));
    toast(t.stores.removedFiles(1), way);
  };
  const segments = [bucket, ...path.split('/')].map(encodeURIComponent);
  return {
    name,
    url: `${origin}${wire('/svc/static')}/${segments.join('/')}`,
    read,
    download,
    move,
    remove,
    mayMove: isOffered(may('static-bucket-file_rename', { name: bucket, from: path, to: 'a' })),
    mayDelete: isOffered(may('static-bucket-file_delete', file)),
  };
}
