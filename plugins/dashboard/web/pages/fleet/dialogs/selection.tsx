import { useState } from 'preact/hooks';
import { Confirm, FormDialog, TextField } from '../../../parts/index.ts';
import { tagsIn } from '../../../parts/tag-list.ts';
import { t } from '../../../strings/index.ts';
import type { Vital } from '../model.ts';
import { commonTags, useSelectionChanges } from '../selection-model.ts';

interface Props {
  readonly chosen: readonly Vital[];
  readonly onClose: () => void;
  /** Something has changed on the server. */
  readonly onChanged: () => void;
}

export function TagDialog({ chosen, onClose, onChanged }: Props) {
  const { tag } = useSelectionChanges(chosen, onChanged);
  const [text, setText] = useState(commonTags(chosen).join(', '));
  return (
    <FormDialog
      title={t.fleet.tagTitle(chosen.length)}
      action={t.fleet.save}
      onClose={onClose}
      onSubmit={() => tag(tagsIn(text)).then(onChanged)}
    >
      <TextField
        label={t.fleet.tags}
        hint={t.fleet.tagHint}
        autofocus
        value={text}
        onText={setText}
      />
    </FormDialog>
  );
}

export function RetentionDialog({ chosen, onClose, onChanged }: Props) {
  const { retain } = useSelectionChanges(chosen, onChanged);
  const [days, setDays] = useState('14');
  const count = Number(days);
  return (
    <FormDialog
      title={t.fleet.retentionTitle(chosen.length)}
      action={t.fleet.save}
      disabled={!(Number.isFinite(count) && count > 0)}
      onClose={onClose}
      onSubmit={() => retain(count).then(onChanged)}
    >
      <TextField
        label={t.fleet.days}
        hint={t.fleet.retentionHint}
        type="number"
        min={0}
        autofocus
        value={days}
        onText={setDays}
      />
    </FormDialog>
  );
}

/** Names that are shown. */
const NAMED = 10;

export function RemoveDialog({
  chosen,
  onClose,
  onChanged,
  onRemoved,
}: Props & { readonly onRemoved: () => void }) {
  const { remove } = useSelectionChanges(chosen, onChanged);
  const names = chosen.slice(0, NAMED).map(({ name }) => name);
  return (
    <Confirm
      title={t.fleet.removeTitle(chosen.length)}
      action={t.fleet.removeAction(chosen.length)}
      onClose={onClose}
      onConfirm={async () => {
        await remove();
        onRemoved();
        onChanged();
      }}
    >
      <p>{t.fleet.removeText}</p>
      <p class="muted">
        {names.join(', ')}
        {chosen.length > NAMED && ' …'}
      </p>
    </Confirm>
  );
}
