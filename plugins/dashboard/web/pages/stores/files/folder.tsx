import { Loaded, type Resource, to } from '../../../frame/index.ts';
import { ErrorNote } from '../../../parts/index.ts';
import { t } from '../../../strings/index.ts';
import { Pane } from '../panes.tsx';
import { ReplaceFiles } from './dialogs/files.tsx';
import { DropZone } from './drop-zone.tsx';
import { type Entry, linesOf } from './entries.ts';
import { EntryTable } from './entry-table.tsx';
import { FolderActions } from './folder-actions.tsx';
import { useFolder } from './model.ts';
import { nameOf } from './paths.ts';

interface Props {
  readonly bucket: string;
  readonly folder: string;
  /** The file that is looked at. */
  readonly current: string | null;
  readonly files: Resource<readonly Entry[]>;
  /** The bucket is deleted. */
  readonly onGone: () => void;
}

/** Content of a folder of a bucket; files that are dropped on it go there. */
export function Folder({ bucket, folder, current, files, onGone }: Props) {
  const model = useFolder({ bucket, folder, files, onGone });
  const { record, uploads, inside, mayWrite } = model;
  const path = folder === '' ? bucket : `${bucket}/${folder.slice(0, -1)}`;
  const isAlone = current === null;
  return (
    <Pane
      title={isAlone ? path : nameOf(path)}
      at={2}
      back={to('stores', 'files')}
      actions={<FolderActions bucket={bucket} folder={folder} model={model} isWide={isAlone} />}
    >
      <DropZone isOn={mayWrite} folder={folder} onDropped={uploads.add}>
        {record?.enable === false && <p class="note stores-note">{t.stores.disabledNote}</p>}
        <Progress uploads={uploads} />
        <Loaded of={files} what={t.stores.unread}>
          {(all) => (
            <EntryTable
              bucket={bucket}
              folder={folder}
              lines={linesOf(bucket, folder, all)}
              current={current}
              mayWrite={mayWrite}
            />
          )}
        </Loaded>
      </DropZone>
      {uploads.replaced && (
        <ReplaceFiles
          paths={uploads.replaced}
          onClose={uploads.endAsking}
          onConfirm={uploads.replace}
        />
      )}
      {mayWrite && isAlone && inside.length > 0 && (
        <p class="muted small stores-drop-hint">{t.stores.uploadHere}</p>
      )}
    </Pane>
  );
}

interface ProgressProps {
  readonly uploads: ReturnType<typeof useFolder>['uploads'];
}

/** Progress of uploads, and those that failed. */
const Progress = ({ uploads: { progress, failed } }: ProgressProps) => (
  <>
    {progress && (
      <p class="note stores-note" role="status">
        {t.stores.uploading(progress.done, progress.count)}
      </p>
    )}
    {failed.length > 0 && (
      <div class="stores-note">
        <ErrorNote
          what={t.stores.failedFiles(failed.length)}
          error={failed
            .slice(0, 5)
            .map(({ path, why }) => `${path}: ${why}`)
            .join(' · ')}
        />
      </div>
    )}
  </>
);
