import { FileQuestion } from 'lucide';
import { useEffect, useState } from 'preact/hooks';
import { Loaded, usePoll } from '../../../frame/index.ts';
import { CopyButton, Empty, format } from '../../../parts/index.ts';
import { t } from '../../../strings/index.ts';
import { mediaType, textOf } from './bytes.ts';

/** Characters of a text that are shown. */
const MOST_TEXT = 200_000;

type Bytes = Uint8Array<ArrayBuffer>;

interface Props {
  readonly bucket: string;
  readonly path: string;
  readonly read: () => Promise<Bytes>;
}

/** Texts as text, pictures and sounds by the elements for them. Pages and scripts are texts here. */
export function Content({ bucket, path, read }: Props) {
  const content = usePoll(`content ${bucket} ${path}`, read);
  return (
    <Loaded of={content} what={t.stores.unread}>
      {(bytes) => <Shown path={path} bytes={bytes} />}
    </Loaded>
  );
}

function Shown({ path, bytes }: { readonly path: string; readonly bytes: Bytes }) {
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
  readonly bytes: Bytes;
  readonly name: string;
}

/** Picture, sound or film. In these elements nothing runs, not even the scripts of an SVG picture. */
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
