import { Download, ExternalLink, FileQuestion, Pencil, Trash2 } from 'lucide';
import {
  AskButton,
  attempt,
  Button,
  ConfirmButton,
  Empty,
  format,
  Icon,
} from '../../../parts/index.ts';
import { t } from '../../../strings/index.ts';
import { Pane } from '../panes.tsx';
import { Content } from './content.tsx';
import { type FileOptions, useFile } from './model.ts';
import { toFolder } from './paths.ts';

/** Larger files are offered for download only. */
const MOST_BYTES = 8 * 2 ** 20;

/** Shows a file without running it, and what can be done with it. */
export function Preview(props: FileOptions) {
  const { bucket, folder, path, entry } = props;
  const file = useFile(props);
  return (
    <Pane
      title={file.name}
      at={3}
      back={toFolder(bucket, folder)}
      actions={<Actions path={path} size={entry?.size ?? 0} file={file} />}
    >
      {entry && entry.size > MOST_BYTES ? (
        <Empty icon={FileQuestion} title={t.stores.bigPreview}>
          {format.text(format.bytes(entry.size))}
        </Empty>
      ) : (
        entry && <Content key={`${entry.mtime}`} bucket={bucket} path={path} read={file.read} />
      )}
      {entry && (
        <p class="muted small stores-note">
          {format.exact(entry.size, 'B')}
          {entry.mtime > 0 && ` · ${format.dateTime(entry.mtime)}`}
        </p>
      )}
    </Pane>
  );
}

interface ActionsProps {
  readonly path: string;
  readonly size: number;
  readonly file: ReturnType<typeof useFile>;
}

function Actions({ path, size, file }: ActionsProps) {
  const { name, url, download, move, remove, mayMove, mayDelete } = file;
  return (
    <>
      <a
        class="button quiet bare"
        href={url}
        target="_blank"
        rel="noopener noreferrer"
        aria-label={t.stores.open}
        title={t.stores.open}
      >
        <Icon of={ExternalLink} />
      </a>
      <Button
        kind="quiet"
        icon={Download}
        label={t.stores.download}
        onClick={() => void attempt(download)}
      />
      {mayMove && (
        <AskButton
          icon={Pencil}
          title={t.stores.moveTitle}
          label={t.stores.movePath}
          action={t.stores.rename}
          initial={path}
          onDone={move}
        />
      )}
      {mayDelete && (
        <ConfirmButton
          icon={Trash2}
          label={t.stores.remove}
          title={t.stores.removeFileTitle(name)}
          action={t.stores.remove}
          onConfirm={remove}
        >
          <p>{t.stores.removeFilesText(1, format.text(format.bytes(size)))}</p>
        </ConfirmButton>
      )}
    </>
  );
}
