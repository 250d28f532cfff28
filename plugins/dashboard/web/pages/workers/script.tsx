import { Save, Trash2, Undo2 } from 'lucide';
import { Button, Card, ConfirmButton } from '../../parts/index.ts';
import { t } from '../../strings/index.ts';
import { Code } from './code.tsx';
import { Failure } from './failure.tsx';
import { type Edit, useRemove } from './model.ts';

interface Props {
  readonly name: string;
  readonly edit: Edit;
  /** Gets a way to a line of the script. */
  readonly goTo: { current: (line: number) => void };
  readonly onRun: () => void;
}

/** The script of a worker in its editor. */
export function Script({ name, edit, goTo, onRun }: Props) {
  const { draft, setDraft, error, mayWrite, review } = edit;
  return (
    <Card
      flush
      class="workers-editor"
      title={<span title={name}>{name}</span>}
      actions={<Actions name={name} edit={edit} />}
    >
      {error !== undefined && <Failure text={error} name={name} onLine={goTo.current} />}
      <Code
        name={name}
        text={draft.script}
        round={edit.round}
        isReadOnly={!mayWrite}
        onText={(script) => setDraft((old) => ({ ...old, script }))}
        onSave={() => void review()}
        onRun={onRun}
        goTo={goTo}
      />
      <p class="muted small workers-note">{mayWrite ? t.workers.editorHint : t.workers.readOnly}</p>
    </Card>
  );
}

function Actions({ name, edit }: Pick<Props, 'name' | 'edit'>) {
  const { isChanged, discard, mayWrite, canSave, review } = edit;
  const remove = useRemove(name);
  return (
    <>
      {isChanged && (
        <>
          <span class="tag warn">{t.workers.unsaved}</span>
          <Button kind="quiet" icon={Undo2} label={t.workers.discard} onClick={discard} />
        </>
      )}
      {remove && (
        <ConfirmButton
          icon={Trash2}
          label={t.workers.remove}
          title={t.workers.removeTitle(name)}
          action={t.workers.removeAction}
          onConfirm={remove}
        >
          <p>{t.workers.removeText}</p>
        </ConfirmButton>
      )}
      {mayWrite && (
        <Button kind="primary" icon={Save} disabled={!canSave} onClick={() => void review()}>
          {t.workers.save}
        </Button>
      )}
    </>
  );
}
