import { Folder, FolderOpen, Plus } from 'lucide';
import { useState } from 'preact/hooks';
import { address, go, Loaded, to, useCrumbs, usePoll, useServer } from '../../frame/index.ts';
import { Button, Empty } from '../../parts/index.ts';
import { t } from '../../strings/index.ts';
import { NewBucket } from './bucket-forms.tsx';
import { type Entry, FolderView } from './folder.tsx';
import { Pane, Panes, PickList, shown } from './panes.tsx';
import { Preview } from './preview.tsx';

/** With a slash at its end; empty: the bucket itself. */
export const asFolder = (path: string): string => {
  const parts = path.split('/').filter((part) => part !== '' && part !== '.');
  return parts.length === 0 ? '' : `${parts.join('/')}/`;
};

export const toFolder = (bucket: string, folder: string): string =>
  to('stores', 'files', { in: bucket, folder: folder === '' ? undefined : folder.slice(0, -1) });

export function Files() {
  const { call, may } = useServer();
  const { query } = address.value;
  const [bucket, file] = [query.get('in'), query.get('file')];
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
      <Pane
        title={t.stores.buckets}
        at={1}
        actions={
          shown(
            may('static-bucket_create', {
              name: 'a',
              path: 'a',
              is_http_root: false,
              cors: false,
            }),
          ) && (
            <Button
              kind="quiet"
              icon={Plus}
              label={t.stores.newBucket}
              onClick={() => setAsking(true)}
            />
          )
        }
      >
        <Loaded of={list} what={t.stores.unread}>
          {(names) => (
            <PickList
              label={t.stores.buckets}
              current={bucket}
              picks={names.map((name) => ({
                id: name,
                label: name,
                icon: Folder,
                to: toFolder(name, ''),
              }))}
              empty={
                <Empty icon={Folder} title={t.stores.noBuckets}>
                  {t.stores.noBucketsText}
                </Empty>
              }
            />
          )}
        </Loaded>
      </Pane>
      {bucket === null ? (
        <Pane title={t.stores.files} at={2}>
          <Empty icon={FolderOpen} title={t.stores.chooseBucket}>
            {t.stores.chooseBucketText}
          </Empty>
        </Pane>
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
