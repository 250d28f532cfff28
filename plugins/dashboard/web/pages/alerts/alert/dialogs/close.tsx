import { useState } from 'preact/hooks';
import { useAlertWords, useSubjects } from '../../../../frame/index.ts';
import type { Alert } from '../../../../parts/alert/index.ts';
import { FormDialog, TextField } from '../../../../parts/index.ts';
import { t } from '../../../../strings/index.ts';
import { useAlertWork } from '../../model.ts';

interface Props {
  readonly alert: Alert;
  readonly onClose: () => void;
  readonly onDone: () => void;
}

/** Ends an alert by hand; it opens again where its condition still holds. */
export function CloseDialog({ alert, onClose, onDone }: Props) {
  const [note, setNote] = useState('');
  const { placeOf } = useSubjects();
  const { titleOf } = useAlertWords();
  const { close } = useAlertWork(alert.id, onDone);
  return (
    <FormDialog
      title={t.alerts.closeTitle(titleOf(alert.rule))}
      action={t.alerts.close}
      onClose={onClose}
      onSubmit={() => close(note)}
    >
      <p class="muted">{t.alerts.closeText(placeOf(alert))}</p>
      <TextField label={t.alerts.note} value={note} autofocus autocomplete="off" onText={setNote} />
    </FormDialog>
  );
}
