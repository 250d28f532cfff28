import {
  CornerLeftUp,
  File as FileIcon,
  Folder,
  FolderPlus,
  FolderX,
  Settings2,
  Trash2,
  Upload,
} from 'lucide';
import { useRef, useState } from 'preact/hooks';
import { go, Link, Loaded, type Resource, to, usePoll, useServer } from '../../../frame/index.ts';
import {
  Amount,
  Ask,
  Button,
  type Column,
  Confirm,
  Empty,
  ErrorNote,
  format,
  Icon,
  type Sort,
  sorted,
  Table,
  toast,
} from '../../../parts/index.ts';
import { t } from '../../../strings/index.ts';
import { Pane, shown } from '../panes.tsx';
import { undo } from '../undo.ts';
import { asFolder, toFolder } from './buckets.tsx';
import { BucketSettings } from './dialogs/bucket.tsx';
import { dropped, type Incoming, useUploads } from './upload.ts';

export interface Entry {
  readonly path: string;
  readonly size: number;
  /** Unix ms; 0: not known. */
  readonly mtime: number;
}
interface Line {
  readonly name: string;
  readonly isFolder: boolean;
  readonly to: string;
  readonly size: number;
  readonly mtime: number;
  /** Files below it. */
  readonly count: number;
}

/** Buckets know paths only: folders are made of what their files have in common. */
function linesOf(bucket: string, folder: string, files: readonly Entry[]): readonly Line[] {
  const found = new Map<string, Line>();
  for (const { path, size, mtime } of files) {
    if (!path.startsWith(folder)) continue;
    const rest = path.slice(folder.length);
    const slash = rest.indexOf('/');
    const name = slash < 0 ? rest : rest.slice(0, slash);
    const key = slash < 0 ? `file ${name}` : `folder ${name}`;
    const old = found.get(key);
    found.set(key, {
      name,
      isFolder: slash >= 0,
      to:
        slash < 0
          ? to('stores', 'files', {
              in: bucket,
              folder: folder === '' ? undefined : folder.slice(0, -1),
              file: path,
            })
          : toFolder(bucket, `${folder}${name}/`),
      size: size + (old?.size ?? 0),
      mtime: Math.max(mtime, old?.mtime ?? 0),
      count: 1 + (old?.count ?? 0),
    });
  }
  return [...found.values()].toSorted(
    (a, b) =>
      Number(b.isFolder) - Number(a.isFolder) ||
      a.name.localeCompare(b.name, undefined, { numeric: true }),
  );
}

interface Props {
  readonly bucket: string;
  readonly folder: string;
  /** The file that is looked at. */
  readonly current: string | null;
  readonly files: Resource<readonly Entry[]>;
  /** The bucket is deleted. */
  readonly onGone: () => void;
}

/** What is in a folder of a bucket; files that are dropped on it go there. */
export function FolderView({ bucket, folder, current, files, onGone }: Props) {
  const { call, may } = useServer();
  const [open, setOpen] = useState<'folder' | 'settings' | 'bucket' | 'files'>();
  const [incoming, setIncoming] = useState<readonly Incoming[]>();
  const record = usePoll(`bucket ${bucket}`, () => call('static-bucket_read', { name: bucket }));
  const uploads = useUploads(bucket, files.refresh);
  const mayWrite = shown(may('static-bucket-file_upload', { name: bucket, path: 'a', base64: '' }));
  const mayDelete = shown(may('static-bucket-file_delete', { name: bucket, path: 'a' }));
  const mayUpdate = shown(
    may('static-bucket_update', { name: bucket, path: 'a', is_http_root: false, cors: false }),
  );
  const inside = (files.data ?? []).filter(({ path }) => path.startsWith(folder));
  const parts = folder.split('/').slice(0, -1);
  const close = () => setOpen(undefined);
  const take = (list: readonly Incoming[]) => {
    if (list.length === 0) return;
    const known = new Set(files.data?.map(({ path }) => path));
    if (list.some(({ path }) => known.has(path))) setIncoming(list);
    else void uploads.send(list);
  };
  const bringBack = async ({ name, path, is_http_root, cors }: NonNullable<typeof record.data>) => {
    await call('static-bucket_create', { name, path, is_http_root, cors });
    onGone();
  };
  const taken = () => {
    const known = new Set(files.data?.map(({ path }) => path));
    return (incoming ?? []).filter(({ path }) => known.has(path));
  };
  return (
    <Pane
      title={
        current !== null
          ? (parts.at(-1) ?? bucket)
          : folder === ''
            ? bucket
            : `${bucket}/${folder.slice(0, -1)}`
      }
      at={2}
      back={to('stores', 'files')}
      actions={
        <>
          {mayWrite && (
            <>
              <Button
                kind="quiet"
                icon={FolderPlus}
                label={t.stores.newFolder}
                onClick={() => setOpen('folder')}
              />
              <Choose
                folder={folder}
                isBusy={uploads.progress !== undefined}
                isWide={current === null}
                onChosen={take}
              />
            </>
          )}
          {folder !== '' && mayDelete && inside.length > 0 && (
            <Button
              kind="quiet"
              icon={FolderX}
              label={t.stores.removeFilesTitle(parts.at(-1) ?? '')}
              onClick={() => setOpen('files')}
            />
          )}
          {folder === '' && record.data && mayUpdate && (
            <Button
              kind="quiet"
              icon={Settings2}
              label={t.stores.settings}
              onClick={() => setOpen('settings')}
            />
          )}
          {folder === '' && shown(may('static-bucket_delete', { name: bucket })) && (
            <Button
              kind="quiet"
              icon={Trash2}
              label={t.stores.removeBucket}
              onClick={() => setOpen('bucket')}
            />
          )}
        </>
      }
    >
      <DropZone isOn={mayWrite} folder={folder} onDropped={take}>
        {record.data?.enable === false && <p class="note stores-note">{t.stores.disabledNote}</p>}
        {uploads.progress && (
          <p class="note stores-note" role="status">
            {t.stores.uploading(uploads.progress.done, uploads.progress.count)}
          </p>
        )}
        {uploads.failed.length > 0 && (
          <div class="stores-note">
            <ErrorNote
              what={t.stores.failedFiles(uploads.failed.length)}
              error={uploads.failed
                .slice(0, 5)
                .map(({ path, why }) => `${path}: ${why}`)
                .join(' · ')}
            />
          </div>
        )}
        <Loaded of={files} what={t.stores.unread}>
          {(all) => (
            <Lines
              lines={linesOf(bucket, folder, all)}
              up={
                folder === '' ? undefined : toFolder(bucket, asFolder(parts.slice(0, -1).join('/')))
              }
              current={current}
              isNarrow={current !== null}
              mayWrite={mayWrite}
            />
          )}
        </Loaded>
      </DropZone>
      {open === 'folder' && (
        <Ask
          title={t.stores.newFolder}
          label={t.stores.name}
          action={t.stores.create}
          hint={t.stores.folderHint}
          check={(text) =>
            /\\|(?:^|\/)\.\.(?:\/|$)/.test(text) || asFolder(text) === ''
              ? t.stores.badFolder
              : undefined
          }
          onClose={close}
          onDone={async (text) => go(toFolder(bucket, folder + asFolder(text)))}
        />
      )}
      {open === 'settings' && record.data && (
        <BucketSettings
          record={record.data}
          onClose={close}
          onDone={(made) => {
            record.set(made);
            files.refresh();
          }}
        />
      )}
      {open === 'bucket' && (
        <Confirm
          title={t.stores.removeBucketTitle(bucket)}
          action={t.stores.remove}
          onClose={close}
          onConfirm={async () => {
            const before = record.data;
            await call('static-bucket_delete', { name: bucket });
            onGone();
            go(to('stores', 'files'));
            toast(t.stores.removedBucket(bucket), before && undo(() => bringBack(before)));
          }}
        >
          <p>{t.stores.removeBucketText(record.data?.path ?? bucket)}</p>
        </Confirm>
      )}
      {open === 'files' && (
        <Confirm
          title={t.stores.removeFilesTitle(folder.slice(0, -1))}
          action={t.stores.remove}
          onClose={close}
          onConfirm={async () => {
            for (const { path } of inside)
              await call('static-bucket-file_delete', { name: bucket, path });
            files.refresh();
            go(toFolder(bucket, asFolder(parts.slice(0, -1).join('/'))));
            toast(t.stores.removedFiles(inside.length));
          }}
        >
          <p>
            {t.stores.removeFilesText(
              inside.length,
              format.text(format.bytes(inside.reduce((sum, { size }) => sum + size, 0))),
            )}
          </p>
        </Confirm>
      )}
      {incoming && (
        <Confirm
          title={t.stores.replaceTitle(taken().length)}
          action={t.stores.replaceAction}
          onClose={() => setIncoming(undefined)}
          onConfirm={async () => void uploads.send(incoming)}
        >
          <p>{t.stores.replaceText}</p>
          <ul class="stores-taken">
            {taken()
              .slice(0, 10)
              .map(({ path }) => (
                <li key={path} class="mono">
                  {path}
                </li>
              ))}
            {taken().length > 10 && <li>…</li>}
          </ul>
        </Confirm>
      )}
      {mayWrite && current === null && inside.length > 0 && (
        <p class="muted small stores-drop-hint">{t.stores.uploadHere}</p>
      )}
    </Pane>
  );
}

interface ChooseProps {
  readonly folder: string;
  readonly isBusy: boolean;
  readonly isWide: boolean;
  readonly onChosen: (files: readonly Incoming[]) => void;
}

function Choose({ folder, isBusy, isWide, onChosen }: ChooseProps) {
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      <input
        ref={input}
        type="file"
        multiple
        hidden
        onChange={(event) => {
          const { files } = event.currentTarget;
          onChosen([...(files ?? [])].map((file) => ({ path: folder + file.name, file })));
          event.currentTarget.value = '';
        }}
      />
      <Button
        icon={Upload}
        kind={isWide ? 'primary' : 'quiet'}
        busy={isBusy}
        label={t.stores.upload}
        onClick={() => input.current?.click()}
      >
        {isWide ? t.stores.upload : undefined}
      </Button>
    </>
  );
}

interface DropProps {
  readonly isOn: boolean;
  readonly folder: string;
  readonly onDropped: (files: readonly Incoming[]) => void;
  readonly children: preact.ComponentChildren;
}

function DropZone({ isOn, folder, onDropped, children }: DropProps) {
  const [isOver, setOver] = useState(false);
  const hasFiles = (event: DragEvent) => isOn && event.dataTransfer?.types.includes('Files');
  return (
    <div
      class={`stores-drop ${isOver ? 'is-over' : ''}`}
      onDragOver={(event) => {
        if (!hasFiles(event)) return;
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={(event) => {
        if (!event.currentTarget.contains(event.relatedTarget as Node | null)) setOver(false);
      }}
      onDrop={(event) => {
        setOver(false);
        const { dataTransfer } = event;
        if (!hasFiles(event) || !dataTransfer) return;
        event.preventDefault();
        void dropped(dataTransfer, folder).then(onDropped);
      }}
    >
      {children}
    </div>
  );
}

interface LinesProps {
  readonly lines: readonly Line[];
  /** The folder above. */
  readonly up: string | undefined;
  readonly current: string | null;
  /** Beside a preview: names only. */
  readonly isNarrow: boolean;
  readonly mayWrite: boolean;
}

function Lines({ lines, up, current, isNarrow, mayWrite }: LinesProps) {
  const [sort, setSort] = useState<Sort>();
  const columns: Column<Line>[] = [
    {
      id: 'name',
      label: t.stores.file,
      width: 'minmax(140px, 1fr)',
      by: ({ name, isFolder }) => (isFolder ? ` ${name}` : name),
      render: (line) => (
        <Link to={line.to} class="stores-file" title={line.name}>
          <Icon of={line.isFolder ? Folder : FileIcon} />
          <span class="ellipsis">{line.name}</span>
        </Link>
      ),
    },
    {
      id: 'size',
      label: t.stores.size,
      width: '92px',
      end: true,
      by: ({ size }) => size,
      render: ({ size }) => <Amount of={format.bytes(size)} title={format.exact(size, 'B')} />,
    },
    {
      id: 'modified',
      label: t.stores.modified,
      width: '140px',
      end: true,
      by: ({ mtime }) => mtime,
      render: ({ isFolder, count, mtime }) =>
        isFolder ? (
          <span class="muted">{t.stores.items(count)}</span>
        ) : (
          mtime > 0 && <time title={format.dateTime(mtime)}>{format.when(mtime)}</time>
        ),
    },
  ];
  const shown = isNarrow ? columns.slice(0, 1) : columns;
  return (
    <>
      {up !== undefined && (
        <Link to={up} class="stores-file stores-up">
          <Icon of={CornerLeftUp} />
          <span>..</span>
        </Link>
      )}
      {lines.length === 0 ? (
        <Empty icon={Upload} title={t.stores.noFiles}>
          {mayWrite && t.stores.noFilesText}
        </Empty>
      ) : (
        <Table
          label={t.stores.files}
          columns={shown}
          rows={sorted(lines, shown, sort)}
          keyOf={({ name, isFolder }) => `${isFolder} ${name}`}
          sort={sort}
          onSort={setSort}
          onOpen={(line) => go(line.to)}
          isSelected={(line) => current !== null && line.to.endsWith(encodeURIComponent(current))}
          rowHeight={40}
        />
      )}
    </>
  );
}
