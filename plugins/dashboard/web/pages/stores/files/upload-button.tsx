import { Upload } from 'lucide';
import { useRef } from 'preact/hooks';
import { Button } from '../../../parts/index.ts';
import { t } from '../../../strings/index.ts';
import type { Incoming } from './upload.ts';

interface Props {
  readonly folder: string;
  readonly isBusy: boolean;
  readonly isWide: boolean;
  readonly onChosen: (files: readonly Incoming[]) => void;
}

/** Button that lets the reader choose files. */
export function UploadButton({ folder, isBusy, isWide, onChosen }: Props) {
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
