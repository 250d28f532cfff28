import { Folder as FolderIcon, FolderOpen, Plus } from 'lucide';
import { navigate } from '../../../frame/index.ts';
import { DialogButton } from '../../../parts/index.ts';
import { t } from '../../../strings/index.ts';
import { ChoosePane, MenuPane } from '../menu-pane.tsx';
import { Panes } from '../panes.tsx';
import { NewBucket } from './dialogs/bucket.tsx';
import { Folder } from './folder.tsx';
import { useBuckets, useFiles, usePlace } from './model.ts';
import { toFolder } from './paths.ts';
import { Preview } from './preview.tsx';

export function Buckets() {
  const { list, mayCreate } = useBuckets();
  const { bucket, folder, file } = usePlace();
  return (
    <Panes
      depth={bucket === null ? 1 : file === null ? 2 : 3}
      second={file === null ? 'wide' : 'list'}
    >
      <MenuPane
        title={t.stores.buckets}
        list={list}
        current={bucket}
        pick={(name) => ({ id: name, label: name, icon: FolderIcon, to: toFolder(name, '') })}
        empty={{ icon: FolderIcon, title: t.stores.noBuckets, text: t.stores.noBucketsText }}
        add={
          mayCreate && (
            <DialogButton
              icon={Plus}
              label={t.stores.newBucket}
              dialog={(close) => (
                <NewBucket
                  onClose={close}
                  onDone={(name) => {
                    list.refresh();
                    navigate(toFolder(name, ''));
                  }}
                />
              )}
            />
          )
        }
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
        <Bucket key={bucket} bucket={bucket} folder={folder} file={file} onGone={list.refresh} />
      )}
    </Panes>
  );
}

interface BucketProps {
  readonly bucket: string;
  readonly folder: string;
  readonly file: string | null;
  readonly onGone: () => void;
}

function Bucket({ bucket, folder, file, onGone }: BucketProps) {
  const files = useFiles(bucket);
  return (
    <>
      <Folder bucket={bucket} folder={folder} current={file} files={files} onGone={onGone} />
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
