import { Upload } from 'lucide';
import { useRef, useState } from 'preact/hooks';
import { Button, ErrorNote } from '../../parts/index.ts';
import { t } from '../../strings/index.ts';

/** A file as the methods take it. */
export interface Chosen {
  readonly name: string;
  readonly base64: string;
}

const MOST_BYTES = 6_291_456;

interface Props {
  readonly isBusy: boolean;
  /** Name of the file that was chosen; undefined: none. */
  readonly name: string | undefined;
  readonly onChosen: (file: Chosen) => void;
}

/** Button that reads a file of this computer. */
export function Chooser({ isBusy, name, onChosen }: Props) {
  const input = useRef<HTMLInputElement>(null);
  const [error, setError] = useState<unknown>();
  const read = async (file: File) => {
    setError(undefined);
    try {
      if (file.size > MOST_BYTES) throw new Error(t.monitorsImport.tooLarge);
      onChosen({ name: file.name, base64: await base64Of(file) });
    } catch (failure) {
      setError(failure);
    }
  };
  return (
    <section class="card stack">
      <p>{t.monitorsImport.about}</p>
      <p class="muted small">{t.monitorsImport.safe}</p>
      <div class="row wrap">
        <Button
          icon={Upload}
          kind={name === undefined ? 'primary' : 'plain'}
          busy={isBusy}
          onClick={() => input.current?.click()}
        >
          {name === undefined ? t.monitorsImport.choose : t.monitorsImport.another}
        </Button>
        {name !== undefined && <span class="mono import-file">{name}</span>}
        <input
          ref={input}
          type="file"
          hidden
          onChange={({ currentTarget }) => {
            const [file] = currentTarget.files ?? [];
            if (file) void read(file);
            // The same file again is a change, too.
            currentTarget.value = '';
          }}
        />
      </div>
      {error !== undefined && <ErrorNote error={error} />}
    </section>
  );
}

/** Base64 of a file; the browser makes it away from the page. */
const base64Of = (file: Blob): Promise<string> =>
  new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result).replace(/^[^,]*,/, ''));
    reader.onerror = () => reject(reader.error);
    reader.readAsDataURL(file);
  });
