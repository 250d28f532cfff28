import { Save } from 'lucide';
import { useState } from 'preact/hooks';
import { go, to, useMachines, usePoll, useServer } from '../../../frame/index.ts';
import {
  Button,
  Card,
  ErrorNote,
  Field,
  Select,
  Tabs,
  TextField,
  toast,
  useWork,
} from '../../../parts/index.ts';
import { MachinePicker, taskNote } from '../../../parts/machine-picker.tsx';
import { blankTask, isComplete, KINDS, type Task, TaskForm } from '../../../parts/task-form.tsx';
import { t } from '../../../strings/index.ts';
import { CronField } from '../cron/field.tsx';
import { readCron } from '../cron/words.ts';
import { type Job, typeOf, type Work, workOf } from '../model.ts';

interface Props {
  /** Without it a new one is made. */
  readonly job?: Job;
  readonly onSaved: () => void;
  readonly onCancel?: () => void;
}

/** A terminal needs somebody who sits at it. */
const JOB_KINDS = KINDS.filter((kind) => kind !== 'web_shell');
const BAD_NAME = /[/\\\p{Cc}]/u;

export function Editor({ job, onSaved, onCancel }: Props) {
  const server = useServer();
  const first = job ? workOf(job.cron_type) : undefined;
  const [name, setName] = useState(job?.name ?? '');
  const [expression, setExpression] = useState(job?.cron_expression ?? '0 0 * * * *');
  const [kind, setKind] = useState<Work['kind']>(first?.kind ?? 'task');
  const [task, setTask] = useState<Task>(
    first?.kind === 'task' ? first.task : blankTask('execute'),
  );
  const [chosen, setChosen] = useState<ReadonlySet<string>>(
    new Set(first?.kind === 'task' ? first.uuids : []),
  );
  const [script, setScript] = useState(first?.kind === 'script' ? first.script : '');
  const [params, setParams] = useState(
    JSON.stringify(first?.kind === 'script' ? first.params : null, null, 2),
  );
  const parsed = parse(params);
  const isNameWrong = BAD_NAME.test(name) || [...name].length > 128;
  const isReady =
    name !== '' &&
    !isNameWrong &&
    readCron(expression).schedule !== undefined &&
    (kind === 'task' ? isComplete(task) : script !== '' && parsed !== undefined);
  const cancel = onCancel ?? (() => go(to('jobs')));
  const {
    run: save,
    error,
    isBusy,
  } = useWork(async () => {
    const work: Work =
      kind === 'task'
        ? { kind, task, uuids: [...chosen] }
        : { kind, script, params: parsed?.value ?? null };
    const params = { name, cron_expression: expression, cron_type: typeOf(work) };
    await server.call(job ? 'crontab_edit' : 'crontab_create', params);
    toast(t.jobs.saved(name));
    if (!job) go(to('jobs', name));
  }, onSaved);
  return (
    <form
      class={job ? 'stack jobs-editor' : 'page jobs-editor'}
      onSubmit={(event) => {
        event.preventDefault();
        void save();
      }}
    >
      <h1>{job ? t.jobs.editTitle(job.name) : t.jobs.new}</h1>
      <Card class="stack">
        {!job && (
          <TextField
            label={t.jobs.name}
            hint={t.jobs.nameHint}
            error={isNameWrong ? t.jobs.nameWrong : undefined}
            value={name}
            required
            autofocus
            autocomplete="off"
            onText={setName}
          />
        )}
        <CronField value={expression} onChange={setExpression} />
      </Card>
      <Card class="stack">
        <Tabs
          label={t.jobs.does}
          tabs={[
            { id: 'task', label: t.jobs.onMachines },
            ...(server.has('js-worker') ? [{ id: 'script', label: t.jobs.script }] : []),
          ]}
          current={kind}
          onChange={(id) => setKind(id as Work['kind'])}
        />
        {kind === 'task' ? (
          <div class="jobs-task">
            <div class="stack">
              <TaskForm task={task} onChange={setTask} kinds={JOB_KINDS} />
            </div>
            <Machines {...{ chosen }} onChange={setChosen} />
          </div>
        ) : (
          <Script {...{ script, params }} onScript={setScript} onParams={setParams} />
        )}
      </Card>
      {error !== undefined && <ErrorNote what={t.jobs.notSaved} error={error} />}
      <div class="row">
        <Button kind="primary" type="submit" icon={Save} disabled={!isReady} busy={isBusy}>
          {t.jobs.save}
        </Button>
        <Button onClick={cancel}>{t.parts.cancel}</Button>
      </div>
    </form>
  );
}

function parse(text: string): { readonly value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) };
  } catch {
    // Said below the field.
    return undefined;
  }
}

interface MachinesProps {
  readonly chosen: ReadonlySet<string>;
  readonly onChange: (chosen: ReadonlySet<string>) => void;
}

/** All machines: one that is away may be back when the job runs. Chosen ones that the reader does not see stay. */
function Machines({ chosen, onChange }: MachinesProps) {
  const { list = [] } = useMachines();
  const known = new Set(list.map(({ uuid }) => uuid));
  const unseen = [...chosen].filter((uuid) => !known.has(uuid)).length;
  return (
    <div class="stack">
      <MachinePicker machines={list} chosen={chosen} onChange={onChange} noteOf={taskNote} />
      {unseen > 0 && <p class="hint">{t.jobs.unseen(unseen)}</p>}
    </div>
  );
}

interface ScriptProps {
  readonly script: string;
  readonly params: string;
  readonly onScript: (name: string) => void;
  readonly onParams: (text: string) => void;
}

function Script({ script, params, onScript, onParams }: ScriptProps) {
  const { call } = useServer();
  const names = usePoll('scripts', () => call('js-worker_list_all_js_worker'));
  const all = [...new Set([...(script === '' ? [] : [script]), ...(names.data ?? [])])];
  return (
    <>
      {names.state === 'denied' || names.state === 'error' ? (
        <TextField label={t.jobs.script} value={script} onText={onScript} />
      ) : (
        <Select
          label={t.jobs.script}
          value={script}
          options={[
            { value: '', label: t.jobs.chooseScript },
            ...all.map((name) => ({ value: name, label: name })),
          ]}
          onChange={onScript}
        />
      )}
      <Field
        label={t.jobs.params}
        hint={t.jobs.paramsHint}
        error={parse(params) ? undefined : t.tasks.noJson}
      >
        {(ids) => (
          <textarea
            {...ids}
            class="input mono"
            rows={6}
            spellcheck={false}
            value={params}
            aria-invalid={parse(params) === undefined}
            onInput={({ currentTarget: { value } }) => onParams(value)}
          />
        )}
      </Field>
    </>
  );
}
