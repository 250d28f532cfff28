import { type Signal, signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { address, type Machine, navigate, type Server, to, useServer } from '../../frame/index.ts';
import { attempt, toast } from '../../parts/index.ts';
import {
  blankTask,
  DANGEROUS,
  isComplete,
  KINDS,
  type Kind,
  kindOf,
  type Task,
} from '../../parts/task-form.tsx';
import { mayOpen, mayRun } from '../../parts/task-rights.ts';
import { lastRun, startRun } from '../../parts/task-run.ts';
import { t } from '../../strings/index.ts';

/** Task that is being written, one for each server. */
interface Draft {
  readonly task: Signal<Task>;
  readonly chosen: Signal<ReadonlySet<string>>;
  /** s */
  readonly wait: Signal<number>;
}
const drafts = new WeakMap<Server, Draft>();

/** Returns the draft for a server. It stays while another page is shown, and a task of the history can be put there. */
function draftOf(server: Server): Draft {
  const found = drafts.get(server) ?? {
    task: signal(blankTask('execute')),
    chosen: signal<ReadonlySet<string>>(new Set()),
    wait: signal(30),
  };
  drafts.set(server, found);
  return found;
}

/** The task that is written, the machines that it can run on, and its last run. */
export function useTask(machines: readonly Machine[]) {
  const server = useServer();
  const draft = draftOf(server);
  const run = lastRun(server);
  const task = draft.task.value;
  const kind = kindOf(task) as Kind;
  const isTerminal = kind === 'web_shell';
  const ready = machines.filter(
    ({ uuid, connected_for_tasks }) =>
      connected_for_tasks !== false &&
      (isTerminal ? mayOpen(server, uuid) : mayRun(server, uuid, kind)),
  );
  const chosen = ready.map(({ uuid }) => uuid).filter((uuid) => draft.chosen.value.has(uuid));
  const isRunning = run.value !== undefined && !run.value.isOver.value;
  const start = () => {
    if (isTerminal) navigate(to('terminal', ...chosen));
    else run.value = startRun(server, task, chosen, draft.wait.value * 1000);
  };
  return {
    draft,
    task,
    kind,
    isTerminal,
    ready,
    chosen,
    run: run.value,
    isRunning,
    canStart: chosen.length > 0 && (isTerminal || isComplete(task)) && !isRunning,
    isRisky: DANGEROUS.includes(kind) || (kind === 'execute' && chosen.length > 1),
    start,
  };
}

/** Writes what the address asks for: `?kind=ping&machine=<uuid>,<uuid>`; `?again=<task>&machine=<uuid>` has what that task did. */
export function useWanted(): void {
  const server = useServer();
  const draft = draftOf(server);
  const wanted = address.value.query;
  const kind = wanted.get('kind');
  const machines = wanted.get('machine');
  const again = Number(wanted.get('again') ?? 0);
  useEffect(() => {
    const found = KINDS.find((one) => one === kind);
    if (found && kindOf(draft.task.value) !== found) draft.task.value = blankTask(found);
    if (machines) draft.chosen.value = new Set(machines.split(','));
    if (again > 0) void attempt(() => writeAgain(server, machines, again));
  }, [kind, machines, again]);
}

async function writeAgain(server: Server, uuid: string | null, task_id: number): Promise<void> {
  const condition = [{ task_id }, ...(uuid ? [{ uuid }] : [])];
  const [row] = await server.call('task_query', { task_data_query: { condition } });
  if (row) draftOf(server).task.value = row.task_event_type as Task;
  else toast(t.tasks.gone, { kind: 'bad' });
}
