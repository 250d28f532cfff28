import { Save } from 'lucide';
import { navigate, to, useMachines, useServer } from '../../../frame/index.ts';
import {
  Button,
  Card,
  ErrorNote,
  Form,
  Select,
  Tabs,
  TextArea,
  TextField,
} from '../../../parts/index.ts';
import { MachinePicker, taskNote } from '../../../parts/machine-picker.tsx';
import { KINDS, TaskForm } from '../../../parts/task-form.tsx';
import { t } from '../../../strings/index.ts';
import { CronField } from '../cron/field.tsx';
import { type Draft, type Job, parseJson, useDraft, useScripts, type Work } from '../model.ts';

interface Props {
  /** Job to edit; undefined: a new one is made. */
  readonly job?: Job;
  readonly onSaved: () => void;
  readonly onCancel?: () => void;
}

export function Editor({ job, onSaved, onCancel = () => navigate(to('jobs')) }: Props) {
  const { draft, change, isNameWrong, isReady, save, error, isBusy } = useDraft(job, onSaved);
  return (
    <Form class={job ? 'stack jobs-editor' : 'page jobs-editor'} onSubmit={save}>
      <h1>{job ? t.jobs.editTitle(job.name) : t.jobs.new}</h1>
      <Card class="stack">
        {!job && (
          <TextField
            label={t.jobs.name}
            hint={t.jobs.nameHint}
            error={isNameWrong ? t.jobs.nameWrong : undefined}
            value={draft.name}
            required
            autofocus
            autocomplete="off"
            onText={(name) => change({ name })}
          />
        )}
        <CronField value={draft.expression} onChange={(expression) => change({ expression })} />
      </Card>
      <WorkFields draft={draft} onChange={change} />
      {error !== undefined && <ErrorNote what={t.jobs.notSaved} error={error} />}
      <div class="row">
        <Button kind="primary" type="submit" icon={Save} disabled={!isReady} busy={isBusy}>
          {t.jobs.save}
        </Button>
        <Button onClick={onCancel}>{t.parts.cancel}</Button>
      </div>
    </Form>
  );
}

interface FieldsProps {
  readonly draft: Draft;
  readonly onChange: (part: Partial<Draft>) => void;
}

/** Kinds of tasks for jobs: a terminal needs a person who uses it. */
const JOB_KINDS = KINDS.filter((kind) => kind !== 'web_shell');

/** A task on machines, or a script. */
function WorkFields({ draft, onChange }: FieldsProps) {
  const { has } = useServer();
  return (
    <Card class="stack">
      <Tabs
        label={t.jobs.does}
        tabs={[
          { id: 'task', label: t.jobs.onMachines },
          ...(has('js-worker') ? [{ id: 'script', label: t.jobs.script }] : []),
        ]}
        current={draft.kind}
        onChange={(kind) => onChange({ kind: kind as Work['kind'] })}
      />
      {draft.kind === 'task' ? (
        <div class="jobs-task">
          <div class="stack">
            <TaskForm task={draft.task} onChange={(task) => onChange({ task })} kinds={JOB_KINDS} />
          </div>
          <Machines draft={draft} onChange={onChange} />
        </div>
      ) : (
        <Script draft={draft} onChange={onChange} />
      )}
    </Card>
  );
}

/** All machines: one that is away may be back when the job runs. Chosen ones that the reader does not see stay. */
function Machines({ draft: { uuids }, onChange }: FieldsProps) {
  const { list = [], of } = useMachines();
  const unseen = [...uuids].filter((uuid) => !of(uuid)).length;
  return (
    <div class="stack">
      <MachinePicker
        machines={list}
        chosen={uuids}
        onChange={(chosen) => onChange({ uuids: chosen })}
        noteOf={taskNote}
      />
      {unseen > 0 && <p class="hint">{t.jobs.unseen(unseen)}</p>}
    </div>
  );
}

function Script({ draft: { script, params }, onChange }: FieldsProps) {
  const names = useScripts();
  const all = [...new Set([...(script === '' ? [] : [script]), ...(names.data ?? [])])];
  const setScript = (name: string) => onChange({ script: name });
  return (
    <>
      {names.state === 'denied' || names.state === 'error' ? (
        <TextField label={t.jobs.script} value={script} onText={setScript} />
      ) : (
        <Select
          label={t.jobs.script}
          value={script}
          options={[
            { value: '', label: t.jobs.chooseScript },
            ...all.map((name) => ({ value: name, label: name })),
          ]}
          onChange={setScript}
        />
      )}
      <TextArea
        label={t.jobs.params}
        hint={t.jobs.paramsHint}
        error={parseJson(params) ? undefined : t.tasks.noJson}
        rows={6}
        mono
        value={params}
        onText={(text) => onChange({ params: text })}
      />
    </>
  );
}
