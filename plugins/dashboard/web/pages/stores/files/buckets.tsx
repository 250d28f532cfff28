import { Folder, FolderOpen } from 'lucide';
import { useState } from 'preact/hooks';
import { address, go, to, useCrumbs, usePoll, useServer } from '../../../frame/index.ts';
import { t } from '../../../strings/index.ts';
import { ChoosePane, MenuPane } from '../menu-pane.tsx';
import { Panes, shown } from '../panes.tsx';
import { NewBucket } from './dialogs/bucket.tsx';
import { type Entry, FolderView } from './folder.tsx';
import { Preview } from './preview.tsx';

/** With a slash at its end; empty: the bucket itself. */
export const asFolder = (path: string): string => {
  const parts = path.split('/').filter((part) => part !== '' && part !== '.');
  return parts.length === 0 ? '' : `${parts.join('/')}/`;
};

/** Without slashes at its start. */
export const asFile = (path: string): string => path.replace(/^\/+/, '');

export const toFolder = (bucket: string, folder: string): string =>
  to('stores', 'files', { in: bucket, folder: folder === '' ? undefined : folder.slice(0, -1) });

const ANY_BUCKET = { name: 'a', path: 'a', is_http_root: false, cors: false };

export function Files() {
  const { call, may } = useServer();
  const { query } = address.value;
  const bucket = query.get('in');
  const named = query.get('file');
  const file = named === null ? null : asFile(named);
  const folder = asFolder(query.get('folder') ?? '');
  const list = usePoll('buckets', () => call('static-bucket_list'));
  const [isAsking, setAsking] = useState(false);
  const parts = folder.split('/').slice(0, -1);
  useCrumbs(
    ...(bucket === null ? [] : [{ label: bucket, to: toFolder(bucket, '') }]),
    ...(bucket === null
      ? []
      : parts.map((label, at) => ({
          label,
          to: toFolder(bucket, `${parts.slice(0, at + 1).join('/')}/`),
        }))),
    ...(file === null ? [] : [{ label: file.slice(file.lastIndexOf('/') + 1) }]),
  );
  return (
    <Panes
      depth={bucket === null ? 1 : file === null ? 2 : 3}
      second={file === null ? 'wide' : 'list'}
    >
      <MenuPane
        title={t.stores.buckets}
        list={list}
        current={bucket}
        pick={(name) => ({ id: name, label: name, icon: Folder, to: toFolder(name, '') })}
        empty={{ icon: Folder, title: t.stores.noBuckets, text: t.stores.noBucketsText }}
        add={t.stores.newBucket}
        onAdd={shown(may('static-bucket_create', ANY_BUCKET)) ? () => setAsking(true) : undefined}
      />
      {bucket === null ? (
        <ChoosePane
          of={t.stores.files}
          at={2}
          icon={FolderOpen}
          title={t.stores.chooseBucket}
          text={t.stores.chooseBucketText}
        />
      ) : (
        <One key={bucket} bucket={bucket} folder={folder} file={file} onGone={list.refresh} />
      )}
      {isAsking && (
        <NewBucket
          onClose={() => setAsking(false)}
          onDone={(name) => {
            list.refresh();
            go(toFolder(name, ''));
          }}
        />
      )}
    </Panes>
  );
}

interface OneProps {
  readonly bucket: string;
  readonly folder: string;
  readonly file: string | null;
  readonly onGone: () => void;
}

function One({ bucket, folder, file, onGone }: OneProps) {
  const { call } = useServer();
  const files = usePoll<readonly Entry[]>(`files ${bucket}`, () =>
    call('static-bucket-file_list', { name: bucket }),
  );
  return (
    <>
      <FolderView bucket={bucket} folder={folder} current={file} files={files} onGone={onGone} />
      {file !== null && (
        <Preview
          key={file}
          bucket={bucket}
          folder={folder}
          path={file}
          entry={files.data?.find(({ path }) => path === file)}
          onChanged={files.refresh}
        />
      )}
    </>
  );
}
