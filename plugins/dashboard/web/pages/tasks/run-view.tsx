import { Play, Square } from 'lucide';
import { useEffect, useState } from 'preact/hooks';
import { address, go, type Server, to, useMachines, useServer } from '../../frame/index.ts';
import {
  Button,
  Card,
  Confirm,
  Empty,
  ErrorNote,
  errorText,
  Field,
  Skeleton,
  toast,
} from '../../parts/index.ts';
import { MachinePicker } from '../../parts/machine-picker.tsx';
import {
  blankTask,
  DANGEROUS,
  isComplete,
  KINDS,
  type Kind,
  kindOf,
  type Task,
  TaskForm,
  taskText,
} from '../../parts/task-form.tsx';
import { Results } from '../../parts/task-results.tsx';
import { mayOpen, mayRun } from '../../parts/task-rights.ts';
import { lastRun, startRun } from '../../parts/task-run.ts';
import { t } from '../../strings/index.ts';
import { draftOf } from './draft.ts';

/** s; the server waits five minutes at most. */
const WAITS = { least: 1, most: 300 } as const;

/** Kind, content and machines; below them what the last run has brought. */
export function RunView() {
  const server = useServer();
  const machines = useMachines();
  const draft = draftOf(server);
  const run = lastRun(server);
  const [isAsking, setAsking] = useState(false);
  useWanted(server);
  const { list, error } = machines;
  if (!list && error !== undefined)
    return (
      <ErrorNote what={t.tasks.noList} error={error} onRetry={() => void machines.refresh()} />
    );
  if (!list) return <Skeleton rows={6} height={32} />;
  const task = draft.task.value;
  const kind = kindOf(task) as Kind;
  const ready = list.filter(
    ({ uuid, connected_for_tasks }) =>
      connected_for_tasks !== false &&
      (kind === 'web_shell' ? mayOpen(server, uuid) : mayRun(server, uuid, kind)),
  );
  const chosen = ready.map(({ uuid }) => uuid).filter((uuid) => draft.chosen.value.has(uuid));
  const start = () => {
    if (kind === 'web_shell') return go(to('terminal', ...chosen));
    run.value = startRun(server, task, chosen, draft.wait.value * 1000);
  };
  const ask = () => {
    const isRisky = DANGEROUS.includes(kind) || (kind === 'execute' && chosen.length > 1);
    if (isRisky) setAsking(true);
    else start();
  };
  if (list.length === 0)
    return (
      <Empty title={t.tasks.nobody}>
        <p>{t.tasks.nobodyHint}</p>
      </Empty>
    );
  const isRunning = run.value !== undefined && !run.value.isOver.value;
  return (
    <>
      <form
        class="tasks-form"
        onSubmit={(event) => {
          event.preventDefault();
          ask();
        }}
      >
        <Card class="stack">
          <TaskForm
            task={task}
            onChange={(changed) => {
              draft.task.value = changed;
            }}
          />
          {kind !== 'web_shell' && <Wait seconds={draft.wait} />}
        </Card>
        <Card class="stack">
          {ready.length > 0 && (
            <MachinePicker
              machines={ready}
              chosen={new Set(chosen)}
              onChange={(changed) => {
                draft.chosen.value = changed;
              }}
            />
          )}
          {ready.length < list.length && (
            <p class="hint">
              {ready.length > 0 ? t.tasks.others(list.length - ready.length) : t.tasks.noneReady}
            </p>
          )}
          <div class="row wrap">
            <Button
              kind="primary"
              icon={Play}
              type="submit"
              disabled={chosen.length === 0 || !isFilled(task, kind) || isRunning}
            >
              {kind === 'web_shell' ? t.tasks.openTerminals : t.tasks.runOn(chosen.length)}
            </Button>
            {isRunning && (
              <Button icon={Square} onClick={() => run.value?.stop()}>
                {t.tasks.stop}
              </Button>
            )}
          </div>
        </Card>
      </form>
      {run.value && <Results key={run.value.at} run={run.value} />}
      {isAsking && (
        <Confirm
          title={t.tasks.sure(t.tasks.kinds[kind], chosen.length)}
          action={t.tasks.runOn(chosen.length)}
          onClose={() => setAsking(false)}
          onConfirm={async () => start()}
        >
          <p>{t.tasks.risks[kind as 'execute'] ?? ''}</p>
          {kind !== 'edit_config' && <code class="tasks-code">{taskText(task)}</code>}
          <p class="muted">
            {chosen.slice(0, 12).map(machines.nameOf).join(', ')}
            {chosen.length > 12 && ' …'}
          </p>
        </Confirm>
      )}
    </>
  );
}

const isFilled = (task: Task, kind: Kind) => kind === 'web_shell' || isComplete(task);

/** `?kind=ping&machine=<uuid>,<uuid>` from other pages; `?again=<task>&machine=<uuid>` has what that task did. */
function useWanted(server: Server): void {
  const draft = draftOf(server);
  const wanted = address.value.query;
  const kind = wanted.get('kind');
  const machines = wanted.get('machine');
  const again = Number(wanted.get('again') ?? 0);
  useEffect(() => {
    const known = KINDS.find((one) => one === kind);
    if (known && kindOf(draft.task.value) !== known) draft.task.value = blankTask(known);
    if (machines) draft.chosen.value = new Set(machines.split(','));
    if (again > 0) void putAgain(server, machines, again);
  }, [kind, machines, again]);
}

async function putAgain(server: Server, uuid: string | null, task_id: number): Promise<void> {
  try {
    const condition = [{ task_id }, ...(uuid ? [{ uuid }] : [])];
    const [row] = await server.call('task_query', { task_data_query: { condition } });
    if (row) draftOf(server).task.value = row.task_event_type as Task;
    else toast(t.tasks.gone, { kind: 'bad' });
  } catch (error) {
    toast(errorText(error), { kind: 'bad' });
  }
}

function Wait({ seconds }: { readonly seconds: { value: number } }) {
  return (
    <Field label={t.tasks.wait} hint={t.tasks.waitHint}>
      {(ids) => (
        <input
          {...ids}
          class="input tasks-wait"
          type="number"
          min={WAITS.least}
          max={WAITS.most}
          required
          value={seconds.value}
          onInput={({ currentTarget: { valueAsNumber } }) => {
            if (valueAsNumber >= WAITS.least && valueAsNumber <= WAITS.most)
              seconds.value = Math.round(valueAsNumber);
          }}
        />
      )}
    </Field>
  );
}
