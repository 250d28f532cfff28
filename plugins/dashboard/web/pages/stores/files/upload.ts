import { useState } from 'preact/hooks';
import { type Resource, useServer } from '../../../frame/index.ts';
import { errorText, format, toast } from '../../../parts/index.ts';
import { t } from '../../../strings/index.ts';
import { toBase64 } from './bytes.ts';
import type { Entry } from './entries.ts';

/** A file of the reader's and where it goes in the bucket. */
export interface Incoming {
  readonly path: string;
  readonly file: File;
}

/** Largest file: as base64 in JSON it stays below the 10 MiB that servers accept by default. */
const MOST_BYTES = 7 * 2 ** 20;
const AT_ONCE = 3;

/** Everything that was dropped, folders with what is in them. */
export async function dropped(transfer: DataTransfer, folder: string): Promise<Incoming[]> {
  // The list is empty after the first wait, so all entries are taken before it.
  const entries = [...transfer.items].map((item) => ({
    entry: item.webkitGetAsEntry?.(),
    file: item.getAsFile(),
  }));
  const found = await Promise.all(
    entries.map(async ({ entry, file }) => {
      if (entry) return walk(entry, folder);
      return file ? [{ path: folder + file.name, file }] : [];
    }),
  );
  return found.flat();
}

async function walk(entry: FileSystemEntry, folder: string): Promise<Incoming[]> {
  const path = folder + entry.name;
  if (entry.isFile) {
    const file = await new Promise<File>((done, fail) =>
      (entry as FileSystemFileEntry).file(done, fail),
    );
    return [{ path, file }];
  }
  const reader = (entry as FileSystemDirectoryEntry).createReader();
  const found: Incoming[] = [];
  for (;;) {
    // A folder is read in portions; an empty one is the end.
    const some = await new Promise<FileSystemEntry[]>((done, fail) =>
      reader.readEntries(done, fail),
    );
    if (some.length === 0) return found;
    for (const one of some) found.push(...(await walk(one, `${path}/`)));
  }
}

/**
 * Sends files into a bucket, some at once; what fails is listed and stops nothing. `replaced`: files of the bucket that wait for
 * a yes to be replaced.
 */
export function useUploads(bucket: string, files: Resource<readonly Entry[]>) {
  const { call } = useServer();
  const [progress, setProgress] = useState<{ readonly done: number; readonly count: number }>();
  const [failed, setFailed] = useState<readonly { readonly path: string; readonly why: string }[]>(
    [],
  );
  const [asked, setAsked] = useState<readonly Incoming[]>();
  const send = async (list: readonly Incoming[]) => {
    const waiting = [...list];
    const bad: { path: string; why: string }[] = [];
    let done = 0;
    setFailed([]);
    setProgress({ done, count: list.length });
    const work = async () => {
      for (let next = waiting.shift(); next; next = waiting.shift()) {
        try {
          if (next.file.size > MOST_BYTES)
            throw new Error(t.stores.tooBig(format.text(format.bytes(MOST_BYTES))));
          const base64 = await toBase64(next.file);
          const params = { name: bucket, path: next.path, base64 };
          // A POST of its own: what else the page asks does not wait for a large message.
          await call('static-bucket-file_upload', params, { transport: 'http', timeout_ms: 0 });
        } catch (error) {
          bad.push({ path: next.path, why: errorText(error) });
        }
        setProgress({ done: ++done, count: list.length });
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, work));
    setProgress(undefined);
    setFailed(bad);
    if (list.length > bad.length) toast(t.stores.uploaded(list.length - bad.length));
    files.refresh();
  };
  const replacedBy = (list: readonly Incoming[]) => {
    const paths = new Set(files.data?.map(({ path }) => path));
    return list.map(({ path }) => path).filter((path) => paths.has(path));
  };
  const add = (list: readonly Incoming[]) => {
    if (replacedBy(list).length > 0) setAsked(list);
    else if (list.length > 0) void send(list);
  };
  return {
    progress,
    failed,
    add,
    replaced: asked && replacedBy(asked),
    replace: async () => void send(asked ?? []),
    endAsking: () => setAsked(undefined),
  };
}
