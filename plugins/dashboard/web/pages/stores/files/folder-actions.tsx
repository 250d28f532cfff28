import { FolderPlus, FolderX, Settings2, Trash2 } from 'lucide';
import { navigate } from '../../../frame/index.ts';
import { AskButton, ConfirmButton, DialogButton } from '../../../parts/index.ts';
import { t } from '../../../strings/index.ts';
import { BucketSettings } from './dialogs/bucket.tsx';
import { RemoveFiles } from './dialogs/files.tsx';
import { folderMistake, type useFolder } from './model.ts';
import { asFolder, nameOf, toFolder } from './paths.ts';
import { UploadButton } from './upload-button.tsx';

interface Props {
  readonly bucket: string;
  readonly folder: string;
  readonly model: ReturnType<typeof useFolder>;
  readonly isWide: boolean;
}

/** Buttons for everything that can be done with a folder. */
export function FolderActions({ bucket, folder, model, isWide }: Props) {
  const { uploads, inside, removeFiles, mayWrite, mayDelete } = model;
  return (
    <>
      {mayWrite && (
        <>
          <AskButton
            icon={FolderPlus}
            title={t.stores.newFolder}
            label={t.stores.name}
            action={t.stores.create}
            hint={t.stores.folderHint}
            check={folderMistake}
            onDone={async (text) => navigate(toFolder(bucket, folder + asFolder(text)))}
          />
          <UploadButton
            folder={folder}
            isBusy={uploads.progress !== undefined}
            isWide={isWide}
            onChosen={uploads.add}
          />
        </>
      )}
      {folder === '' && <BucketActions bucket={bucket} model={model} />}
      {folder !== '' && mayDelete && inside.length > 0 && (
        <DialogButton
          icon={FolderX}
          label={t.stores.removeFilesTitle(nameOf(folder.slice(0, -1)))}
          dialog={(close) => (
            <RemoveFiles folder={folder} files={inside} onClose={close} onConfirm={removeFiles} />
          )}
        />
      )}
    </>
  );
}

function BucketActions({ bucket, model }: Pick<Props, 'bucket' | 'model'>) {
  const { record, setRecord, removeBucket, mayUpdate, mayRemove } = model;
  return (
    <>
      {record && mayUpdate && (
        <DialogButton
          icon={Settings2}
          label={t.stores.settings}
          dialog={(close) => <BucketSettings record={record} onClose={close} onDone={setRecord} />}
        />
      )}
      {mayRemove && (
        <ConfirmButton
          icon={Trash2}
          label={t.stores.removeBucket}
          title={t.stores.removeBucketTitle(bucket)}
          action={t.stores.remove}
          onConfirm={removeBucket}
        >
          <p>{t.stores.removeBucketText(record?.path ?? bucket)}</p>
        </ConfirmButton>
      )}
    </>
  );
}
