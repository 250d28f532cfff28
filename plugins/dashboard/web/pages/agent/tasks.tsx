import type { Methods } from '@svc/client';
import { ListChecks, RotateCw } from 'lucide';
import { useState } from 'preact/hooks';
import { go, Link, Loaded, to, usePoll, useServer } from '../../frame/index.ts';
import { Button, type Column, Dialog, Empty, format, Table } from '../../parts/index.ts';
import { t } from '../../strings/index.ts';

type Task = Methods['task_query']['result'][number];

const LIMIT = 200;
const EVERY_MS = 5_000;
/** Columns that a phone has no room for; the row opens with all of it. */
const WIDE = new Set(['kind', 'job']);

/** The newest tasks of the agent and what became of them. */
export function AgentTasks({ uuid }: { readonly uuid: string }) {
  const { call, covers } = useServer();
  const [open, setOpen] = useState<Task>();
  const isNarrow = matchMedia('(max-width: 720px)').matches;
  const tasks = usePoll(
    `tasks ${uuid}`,
    (signal) =>
      call(
        'task_query',
        { task_data_query: { condition: [{ uuid }, { limit: LIMIT }] } },
        { signal },
      ),
    { every_ms: EVERY_MS },
  );
  return (
    <div class="stack">
      <Loaded of={tasks} what={t.agent.tasks.unreadable}>
        {(rows) => (
          <Table
            label={t.agent.tabs.tasks}
            columns={columns(setOpen).filter(({ id }) => !isNarrow || !WIDE.has(id))}
            rows={rows}
            keyOf={({ task_id }) => String(task_id)}
            onOpen={setOpen}
            empty={
              <Empty icon={ListChecks} title={t.agent.tasks.none}>
                <Link to={to('tasks', { machine: uuid })}>{t.agent.tasks.runOne}</Link>
              </Empty>
            }
          />
        )}
      </Loaded>
      {open && (
        <Dialog
          wide
          title={kindOf(open)}
          onClose={() => setOpen(undefined)}
          actions={
            kindOf(open) !== 'web_shell' &&
            covers('task', 'create', uuid, kindOf(open)) && (
              <>
                <span class="grow" />
                <Button
                  icon={RotateCw}
                  onClick={() => go(to('tasks', { machine: uuid, again: String(open.task_id) }))}
                >
                  {t.tasks.again}
                </Button>
              </>
            )
          }
        >
          <p class="muted">{open.timestamp === null ? '' : format.dateTime(open.timestamp)}</p>
          <pre class="agent-pre">{JSON.stringify(open.task_event_type, null, 2)}</pre>
          <h3>{t.agent.tasks.result}</h3>
          <pre class="agent-pre">
            {open.error_message ?? resultText(open.task_event_result) ?? t.agent.tasks.running}
          </pre>
        </Dialog>
      )}
    </div>
  );
}

const kindOf = ({ task_event_type: kind }: Task): string =>
  typeof kind === 'string' ? kind : (Object.keys(kind)[0] ?? '');

/** What a task is about, in a line: the target, the command. */
function subject({ task_event_type: kind }: Task): string {
  if (typeof kind === 'string') return '';
  const [value] = Object.values(kind) as unknown[];
  if (typeof value === 'string') return value.split('\n')[0] ?? '';
  if (typeof value !== 'object' || value === null) return '';
  if ('cmd' in value && 'args' in value) return [value.cmd, ...(value.args as string[])].join(' ');
  if ('domain' in value) return String(value.domain);
  return 'url' in value ? String(value.url) : '';
}

function resultText(result: Task['task_event_result']): string | undefined {
  if (result === null) return undefined;
  const [value] = Object.values(result) as unknown[];
  return typeof value === 'string' ? value : JSON.stringify(value, null, 2);
}

function Outcome({ task }: { readonly task: Task }) {
  const { success, error_message, task_event_result: result } = task;
  if (success === null) return <span class="muted">{t.agent.tasks.running}</span>;
  if (!success) return <span class="agent-bad">{error_message ?? t.agent.tasks.failed}</span>;
  const [value] = Object.values(result ?? {}) as unknown[];
  if (typeof value === 'number') return <span>{format.text(format.milliseconds(value))}</span>;
  if (value === true) return <span>{t.agent.tasks.done}</span>;
  return <span class="mono">{(resultText(result) ?? '').trim().split('\n')[0]}</span>;
}

const columns = (open: (task: Task) => void): Column<Task>[] => [
  {
    id: 'time',
    label: t.agent.tasks.time,
    width: 'minmax(64px, 150px)',
    render: (task) => (
      <button
        type="button"
        class="agent-link"
        title={task.timestamp === null ? '' : format.dateTime(task.timestamp)}
        onClick={() => open(task)}
      >
        {task.timestamp === null ? t.agent.tasks.running : format.when(task.timestamp)}
      </button>
    ),
  },
  { id: 'kind', label: t.agent.tasks.kind, width: '120px', render: kindOf },
  {
    id: 'subject',
    label: t.agent.tasks.subject,
    width: 'minmax(96px, 1fr)',
    render: (task) => <span class="mono">{subject(task)}</span>,
  },
  {
    id: 'outcome',
    label: t.agent.tasks.result,
    width: 'minmax(96px, 1fr)',
    render: (task) => <Outcome task={task} />,
  },
  {
    id: 'job',
    label: t.agent.tasks.job,
    width: '140px',
    render: ({ cron_source }) => cron_source ?? <span class="muted">–</span>,
  },
];
