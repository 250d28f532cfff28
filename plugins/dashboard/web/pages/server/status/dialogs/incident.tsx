import { useState } from 'preact/hooks';
import { FormDialog, format, Select, TextArea, TextField } from '../../../../parts/index.ts';
import { t } from '../../../../strings/index.ts';
import { type Incident, useIncidentSave } from '../model.ts';

const IMPACTS = ['notice', 'maintenance', 'degraded', 'down'] as const;

interface Props {
  readonly slug: string;
  readonly old?: Incident;
  readonly onClose: () => void;
  readonly onSaved: () => void;
}

/** Form of an incident: another one, or a new one. */
export function IncidentDialog({ slug, old, onClose, onSaved }: Props) {
  const save = useIncidentSave(slug, old);
  const s = t.server.status;
  const [title, setTitle] = useState(old?.title ?? '');
  const [text, setText] = useState(old?.text ?? '');
  const [impact, setImpact] = useState<Incident['impact']>(old?.impact ?? 'notice');
  const [begins, setBegins] = useState(format.localInput(old?.begins_at ?? Date.now()));
  const [ends, setEnds] = useState(old?.ends_at == null ? '' : format.localInput(old.ends_at));
  const isBackward = ends !== '' && Date.parse(ends) < Date.parse(begins);
  return (
    <FormDialog
      title={old ? s.editIncident(old.title) : s.addIncident}
      action={s.save}
      disabled={title.trim() === '' || isBackward}
      onClose={onClose}
      onSubmit={async () => {
        await save({
          title,
          text,
          impact,
          begins_at: timeOf(begins, old?.begins_at),
          ends_at: timeOf(ends, old?.ends_at),
        });
        onSaved();
      }}
    >
      <TextField label={s.name} value={title} onText={setTitle} autofocus required />
      <TextArea label={s.text} hint={s.textHint} rows={4} value={text} onText={setText} />
      <Select
        label={s.impact}
        value={impact}
        options={IMPACTS.map((value) => ({ value, label: s.impacts[value] }))}
        onChange={setImpact}
      />
      <TextField label={s.begins} type="datetime-local" value={begins} onText={setBegins} />
      <TextField
        label={s.ends}
        type="datetime-local"
        value={ends}
        onText={setEnds}
        hint={s.endsHint}
        error={isBackward ? t.parts.backward : undefined}
      />
    </FormDialog>
  );
}

/** Time of a field, Unix ms; one that was not touched keeps its seconds. */
const timeOf = (typed: string, was: number | null | undefined): number | null =>
  typed === '' ? null : was != null && format.localInput(was) === typed ? was : Date.parse(typed);
