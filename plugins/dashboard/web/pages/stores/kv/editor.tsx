import { AlignLeft, Undo2 } from 'lucide';
import { useId } from 'preact/hooks';
import { attempt, Button } from '../../../parts/index.ts';
import { t } from '../../../strings/index.ts';
import { ReviewDialog } from './dialogs/review.tsx';
import { named, useEdit } from './model.ts';

interface Props {
  /** Undefined: there is no such key. */
  readonly stored: unknown;
  readonly name: string;
  readonly id: string;
  readonly drafts: Map<string, string>;
  readonly isReadOnly: boolean;
  readonly readNow: () => Promise<unknown>;
  readonly onSave: (value: unknown, before: unknown) => Promise<void>;
}

/** JSON is checked while it is typed, and nothing is saved before the change is shown. */
export function Editor({ stored, name, id, drafts, isReadOnly, readNow, onSave }: Props) {
  const edit = useEdit({ stored, id, drafts, readNow });
  const { text, next, review } = edit;
  const note = useId();
  return (
    <div
      class="stores-editor"
      onKeyDown={(event) => {
        if (event.key.toLowerCase() !== 's' || !(event.ctrlKey || event.metaKey)) return;
        event.preventDefault();
        if (edit.isChanged && !isReadOnly) void attempt(edit.startReview);
      }}
    >
      {stored === undefined && <p class="note">{t.stores.isNew}</p>}
      <textarea
        class="input mono"
        aria-label={`${t.stores.value}: ${named(name)}`}
        aria-describedby={note}
        aria-invalid={edit.isInvalid}
        spellcheck={false}
        readOnly={isReadOnly}
        rows={Math.min(28, Math.max(10, text.split('\n').length + 1))}
        value={text}
        onInput={(event) => edit.setDraft(event.currentTarget.value)}
      />
      <Foot edit={edit} note={note} isReadOnly={isReadOnly} />
      {review && next && (
        <ReviewDialog
          name={named(name)}
          review={review}
          value={next.value}
          onClose={edit.endReview}
          onSave={async () => {
            await onSave(next.value, review.before);
            edit.setDraft(undefined);
          }}
        />
      )}
    </div>
  );
}

interface FootProps {
  readonly edit: ReturnType<typeof useEdit>;
  /** Id of the sentence. */
  readonly note: string;
  readonly isReadOnly: boolean;
}

/** One sentence about the text, and buttons for everything that can be done with it. */
function Foot({ edit, note, isReadOnly }: FootProps) {
  const { text, setDraft, formatted, isChanged, isUnsaved } = edit;
  return (
    <footer class="row wrap">
      <span id={note} class={`small grow ${edit.isInvalid ? 'hint bad' : 'muted'}`} role="status">
        {isUnsaved && <b>{t.stores.unsaved} · </b>}
        {edit.summary}
      </span>
      {isUnsaved && (
        <Button kind="quiet" icon={Undo2} onClick={() => setDraft(undefined)}>
          {t.stores.discard}
        </Button>
      )}
      {!isReadOnly && (
        <>
          <Button
            kind="quiet"
            icon={AlignLeft}
            disabled={formatted === undefined || formatted === text}
            onClick={() => setDraft(formatted)}
          >
            {t.stores.format}
          </Button>
          <Button
            kind="primary"
            disabled={!isChanged}
            onClick={() => void attempt(edit.startReview)}
          >
            {t.stores.review}
          </Button>
        </>
      )}
    </footer>
  );
}
