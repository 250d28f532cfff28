import { Download, ExternalLink, FileQuestion, Pencil, Trash2 } from 'lucide';
import { useEffect, useState } from 'preact/hooks';
import { go, Loaded, to, usePoll, useServer, wire } from '../../../frame/index.ts';
import {
  Ask,
  Button,
  Confirm,
  CopyButton,
  Empty,
  format,
  fromBase64,
  Icon,
  toast,
} from '../../../parts/index.ts';
import { t } from '../../../strings/index.ts';
import { Pane, shown } from '../panes.tsx';
import { attempt, undo } from '../undo.ts';
import { asFile, asFolder, toFolder } from './buckets.tsx';
import { mediaType, save } from './bytes.ts';
import type { Entry } from './folder.tsx';

/** Larger files are offered for download only. */
const MOST_BYTES = 8 * 2 ** 20;
/** A deleted file that is smaller can come back. */
const MOST_UNDONE_BYTES = 2 ** 20;
/** Characters of a text that are shown. */
const MOST_TEXT = 200_000;

interface Props {
  readonly bucket: string;
  readonly folder: string;
  readonly path: string;
  /** Undefined while the list is read, and for a file that is gone. */
  readonly entry: Entry | undefined;
  readonly onChanged: () => void;
}

/** Shows a file without running it: texts as text, pictures and sounds by the elements for them. Pages and scripts are texts here. */
export function Preview({ bucket, folder, path, entry, onChanged }: Props) {
  const { call, may, origin } = useServer();
  const [open, setOpen] = useState<'move' | 'remove'>();
  const name = path.slice(path.lastIndexOf('/') + 1);
  const close = () => setOpen(undefined);
  const read = async () =>
    fromBase64(await call('static-bucket-file_read', { name: bucket, path }));
  const mayMove = shown(may('static-bucket-file_rename', { name: bucket, from: path, to: 'a' }));
  const mayDelete = shown(may('static-bucket-file_delete', { name: bucket, path }));
  const address = `${origin}${wire('/svc/static')}/${encodeURIComponent(bucket)}/${path
    .split('/')
    .map(encodeURIComponent)
    .join('/')}`;
  return (
    <Pane
      title={name}
      at={3}
      back={toFolder(bucket, folder)}
      actions={
        <>
          <a
            class="button quiet bare"
            href={address}
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
            onClick={() => void attempt(async () => save(name, new Blob([await read()])))}
          />
          {mayMove && (
            <Button
              kind="quiet"
              icon={Pencil}
              label={t.stores.moveTitle}
              onClick={() => setOpen('move')}
            />
          )}
          {mayDelete && (
            <Button
              kind="quiet"
              icon={Trash2}
              label={t.stores.remove}
              onClick={() => setOpen('remove')}
            />
          )}
        </>
      }
    >
      {entry && entry.size > MOST_BYTES ? (
        <Empty icon={FileQuestion} title={t.stores.bigPreview}>
          {format.text(format.bytes(entry.size))}
        </Empty>
      ) : (
        entry && <Content key={`${entry.mtime}`} bucket={bucket} path={path} read={read} />
      )}
      {entry && (
        <p class="muted small stores-note">
          {format.exact(entry.size, 'B')}
          {entry.mtime > 0 && ` · ${format.dateTime(entry.mtime)}`}
        </p>
      )}
      {open === 'move' && (
        <Ask
          title={t.stores.moveTitle}
          label={t.stores.movePath}
          action={t.stores.rename}
          initial={path}
          onClose={close}
          onDone={async (typed) => {
            // A path counts from the bucket; the slash that people write before it is not sent.
            const next = asFile(typed);
            await call('static-bucket-file_rename', { name: bucket, from: path, to: next });
            onChanged();
            const parent = asFolder(next.split('/').slice(0, -1).join('/'));
            go(
              to('stores', 'files', {
                in: bucket,
                folder: parent === '' ? undefined : parent.slice(0, -1),
                file: parent + next.slice(next.lastIndexOf('/') + 1),
              }),
            );
            toast(t.stores.moved(next));
          }}
        />
      )}
      {open === 'remove' && (
        <Confirm
          title={t.stores.removeFileTitle(name)}
          action={t.stores.remove}
          onClose={close}
          onConfirm={async () => {
            const isSmall = (entry?.size ?? MOST_UNDONE_BYTES) < MOST_UNDONE_BYTES;
            const before = isSmall
              ? await call('static-bucket-file_read', { name: bucket, path })
              : undefined;
            await call('static-bucket-file_delete', { name: bucket, path });
            onChanged();
            go(toFolder(bucket, folder));
            const bringBack = async (base64: string) => {
              await call('static-bucket-file_upload', { name: bucket, path, base64 });
              onChanged();
            };
            toast(
              t.stores.removedFiles(1),
              before === undefined ? {} : undo(() => bringBack(before)),
            );
          }}
        >
          <p>{t.stores.removeFilesText(1, format.text(format.bytes(entry?.size ?? 0)))}</p>
        </Confirm>
      )}
    </Pane>
  );
}

interface ContentProps {
  readonly bucket: string;
  readonly path: string;
  readonly read: () => Promise<Uint8Array<ArrayBuffer>>;
}

function Content({ bucket, path, read }: ContentProps) {
  const content = usePoll(`content ${bucket} ${path}`, read);
  return (
    <Loaded of={content} what={t.stores.unread}>
      {(bytes) => <Shown path={path} bytes={bytes} />}
    </Loaded>
  );
}

function Shown({
  path,
  bytes,
}: {
  readonly path: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
}) {
  const type = mediaType(path);
  if (bytes.length === 0) return <p class="muted stores-note">{t.stores.emptyFile}</p>;
  if (type !== undefined) return <Media type={type} bytes={bytes} name={path} />;
  const text = textOf(bytes);
  if (text === undefined) return <Empty icon={FileQuestion} title={t.stores.noPreview} />;
  return (
    <>
      <div class="stores-text">
        <CopyButton text={text} />
        <pre tabIndex={0} role="region" aria-label={t.stores.preview}>
          {text.slice(0, MOST_TEXT)}
        </pre>
      </div>
      {text.length > MOST_TEXT && (
        <p class="muted small stores-note">
          {t.stores.cutPreview(format.text(format.bytes(MOST_TEXT)))}
        </p>
      )}
    </>
  );
}

interface MediaProps {
  readonly type: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly name: string;
}

/** In `img`, `audio` and `video` nothing runs, not even the scripts of an SVG picture. */
function Media({ type, bytes, name }: MediaProps) {
  const [url, setUrl] = useState<string>();
  const [isBroken, setBroken] = useState(false);
  useEffect(() => {
    const made = URL.createObjectURL(new Blob([bytes], { type }));
    setUrl(made);
    return () => URL.revokeObjectURL(made);
  }, [bytes, type]);
  if (isBroken) return <Empty icon={FileQuestion} title={t.stores.noPreview} />;
  if (url === undefined) return null;
  const onError = () => setBroken(true);
  return (
    <div class="stores-media">
      {type.startsWith('image/') && <img src={url} alt={name} onError={onError} />}
      {/* biome-ignore lint/a11y/useMediaCaption: files of others come without captions */}
      {type.startsWith('audio/') && <audio src={url} controls onError={onError} />}
      {/* biome-ignore lint/a11y/useMediaCaption: files of others come without captions */}
      {type.startsWith('video/') && <video src={url} controls onError={onError} />}
    </div>
  );
}

/** Undefined: it is no text in UTF-8. */
function textOf(bytes: Uint8Array): string | undefined {
  if (bytes.subarray(0, 8_000).includes(0)) return undefined;
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}
