import { useState } from 'preact/hooks';
import { useAlertWords, useSubjects } from '../../../../frame/index.ts';
import type { Alert } from '../../../../parts/alert/index.ts';
import { FormDialog, TextField } from '../../../../parts/index.ts';
import { t } from '../../../../strings/index.ts';
import { useAlertWork } from '../../model.ts';

interface Props {
  readonly alert: Alert;
  readonly onClose: () => void;
  readonly onDone?: () => void;
}

/** Takes an alert over, with a note for the others. */
export function AckDialog({ alert, onClose, onDone }: Props) {
  const [note, setNote] = useState('');
  const { placeOf } = useSubjects();
  const { titleOf } = useAlertWords();
  const { acknowledge } = useAlertWork(alert.id, onDone);
  return (
    <FormDialog
      title={t.alerts.ackTitle(titleOf(alert.rule))}
      action={t.alerts.ack}
      onClose={onClose}
      onSubmit={() => acknowledge(note)}
    >
      <p class="muted">{t.alerts.ackText(placeOf(alert))}</p>
      <TextField
        label={t.alerts.note}
        hint={t.alerts.noteHint}
        value={note}
        autofocus
        autocomplete="off"
        onText={setNote}
      />
    </FormDialog>
  );
}
