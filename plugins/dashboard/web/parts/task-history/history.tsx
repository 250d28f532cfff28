import { ChevronDown, ListChecks } from 'lucide';
import { useEffect, useState } from 'preact/hooks';
import { address, type Server, setQuery, useMachines, useServer } from '../../frame/index.ts';
import { t } from '../../strings/index.ts';
import {
  Button,
  Checkbox,
  type Column,
  Empty,
  ErrorNote,
  errorText,
  format,
  isDenied,
  Select,
  Skeleton,
  Table,
  toast,
} from '../index.ts';
import { KINDS, kindOf, type Task, taskText } from '../task-form.tsx';
import { Details, TaskState } from './details.tsx';
import { newest, older, PAGE, type Row, type TaskFilter } from './rows.ts';
import './task-history.css';

/** A list without a kind has all but this one. */
const LISTED = KINDS.filter((kind) => kind !== 'self_update');

/** Filters live in the address. */
function filterOf(query: URLSearchParams): TaskFilter {
  const get = (name: string) => query.get(name) ?? '';
  const day = Date.parse(get('until'));
  return {
    machine: get('machine'),
    kind: get('kind'),
    state: get('state'),
    job: get('job'),
    isManual: get('job') === '' && !query.has('jobs'),
    ...(Number.isFinite(day) && { until: day + 86_399_999 }),
  };
}

/** A list of everything takes the right to everything: a smaller right begins with the first machine and kind that it has. */
function narrowed(filter: TaskFilter, { covers, agents }: Server): TaskFilter {
  const reads = (uuid: string, kind?: string) => covers('task', 'read', uuid, kind);
  const machine =
    filter.machine !== '' || reads('')
      ? filter.machine
      : (agents.find((uuid) => reads(uuid)) ?? '');
  const isAll = LISTED.every((kind) => reads(machine, kind));
  const kind = filter.kind !== '' || isAll ? filter.kind : KINDS.find((one) => reads(machine, one));
  return { ...filter, machine, kind: kind ?? '' };
}

/** Tasks that have run, the newest first, page by page. */
export function TaskHistory() {
  const server = useServer();
  const { nameOf } = useMachines();
  const filter = narrowed(filterOf(address.value.query), server);
  const key = JSON.stringify(filter);
  const [rows, setRows] = useState<readonly Row[]>();
  const [hasMore, setMore] = useState(false);
  const [error, setError] = useState<unknown>();
  const [round, setRound] = useState(0);
  const [isBusy, setBusy] = useState(false);
  const [open, setOpen] = useState<Row>();
  const isOpen = server.connection.value.state === 'open';
  useEffect(() => {
    if (!isOpen) return;
    let isOver = false;
    setError(undefined);
    newest(server, filter).then(
      (found) => {
        if (isOver) return;
        setRows(found.rows);
        setMore(found.given === PAGE);
      },
      (failure: unknown) => !isOver && setError(failure),
    );
    return () => {
      isOver = true;
    };
  }, [server, key, round, isOpen]);
  const more = async () => {
    setBusy(true);
    try {
      const { found, isLast } = await older(server, filter, rows ?? []);
      setRows([...(rows ?? []), ...found]);
      setMore(!isLast);
    } catch (failure) {
      toast(errorText(failure), { kind: 'bad' });
    } finally {
      setBusy(false);
    }
  };
  return (
    <>
      <Filters filter={filter} onRefresh={() => setRound(round + 1)} />
      {error !== undefined && (
        <ErrorNote
          what={
            isDenied(error) && filter.machine === '' ? t.tasks.chooseMachine : t.tasks.unreadable
          }
          error={error}
          onRetry={() => setRound(round + 1)}
        />
      )}
      {rows ? (
        <Table
          label={t.tasks.history}
          columns={columns(nameOf, setOpen)}
          rows={rows}
          keyOf={({ task_id }) => String(task_id)}
          onOpen={setOpen}
          empty={
            <Empty icon={ListChecks} title={t.tasks.noTasks}>
              <p>{filter.isManual ? t.tasks.noManualHint : t.tasks.noTasksHint}</p>
              {filter.isManual && (
                <Button onClick={() => setQuery({ jobs: '1' })}>{t.tasks.showJobs}</Button>
              )}
            </Empty>
          }
        />
      ) : (
        error === undefined && <Skeleton rows={8} height={28} />
      )}
      {hasMore && rows && (
        <div>
          <Button icon={ChevronDown} busy={isBusy} onClick={() => void more()}>
            {t.tasks.older}
          </Button>
        </div>
      )}
      {open && (
        <Details
          row={open}
          onClose={() => setOpen(undefined)}
          onDeleted={() => setRows(rows?.filter((row) => row !== open))}
        />
      )}
    </>
  );
}

/** To the second for today: tasks come close together. */
const timeOf = (ms: number): string =>
  new Date(ms).toDateString() === new Date().toDateString()
    ? format.clockSeconds(ms)
    : format.when(ms);

const columns = (
  nameOf: (uuid: string) => string,
  onOpen: (row: Row) => void,
): readonly Column<Row>[] => [
  {
    id: 'machine',
    label: t.tasks.machine,
    width: 'minmax(92px, 1fr)',
    render: (row) => (
      <button type="button" class="tasks-open" title={row.uuid} onClick={() => onOpen(row)}>
        {nameOf(row.uuid)}
      </button>
    ),
  },
  {
    id: 'state',
    label: t.tasks.state,
    width: '112px',
    render: ({ success }) => <TaskState success={success} />,
  },
  {
    id: 'time',
    label: t.tasks.finished,
    width: '136px',
    render: ({ timestamp }) =>
      timestamp === null ? (
        <span class="muted">–</span>
      ) : (
        <span title={format.dateTime(Number(timestamp))}>{timeOf(Number(timestamp))}</span>
      ),
  },
  {
    id: 'kind',
    label: t.tasks.sort,
    width: 'minmax(96px, 1fr)',
    render: ({ task_event_type }) =>
      (t.tasks.kinds as { readonly [kind: string]: string })[kindOf(task_event_type as Task)] ??
      kindOf(task_event_type as Task),
  },
  {
    id: 'what',
    label: t.tasks.what,
    width: 'minmax(140px, 2fr)',
    render: ({ task_event_type }) => <span class="mono">{taskText(task_event_type as Task)}</span>,
  },
  {
    id: 'job',
    label: t.tasks.job,
    width: 'minmax(72px, 1fr)',
    render: ({ cron_source }) => cron_source ?? <span class="muted">–</span>,
  },
];

function Filters({
  filter,
  onRefresh,
}: {
  readonly filter: TaskFilter;
  readonly onRefresh: () => void;
}) {
  const { list, nameOf } = useMachines();
  const machines = (list ?? []).map(({ uuid }) => ({ value: uuid, label: nameOf(uuid) }));
  if (filter.machine !== '' && !machines.some(({ value }) => value === filter.machine))
    machines.push({ value: filter.machine, label: nameOf(filter.machine) });
  return (
    <div class="tasks-filters" role="search">
      <Select
        bare
        label={t.tasks.machine}
        value={filter.machine}
        options={[{ value: '', label: t.tasks.everyMachine }, ...machines]}
        onChange={(machine) => setQuery({ machine })}
      />
      <Select
        bare
        label={t.tasks.sort}
        value={filter.kind}
        options={[
          { value: '', label: t.tasks.everyKind },
          ...KINDS.map((kind) => ({ value: kind as string, label: t.tasks.kinds[kind] })),
        ]}
        onChange={(kind) => setQuery({ kind })}
      />
      <Select
        bare
        label={t.tasks.state}
        value={filter.state}
        options={[
          { value: '', label: t.tasks.everyState },
          { value: 'is_success', label: t.tasks.success },
          { value: 'is_failure', label: t.tasks.failure },
          { value: 'is_running', label: t.tasks.running },
        ]}
        onChange={(state) => setQuery({ state })}
      />
      <input
        class="input"
        type="search"
        aria-label={t.tasks.job}
        placeholder={t.tasks.everyJob}
        value={filter.job}
        onChange={({ currentTarget: { value } }) => setQuery({ job: value })}
      />
      <input
        class="input"
        type="date"
        aria-label={t.tasks.until}
        title={t.tasks.until}
        value={address.value.query.get('until') ?? ''}
        onChange={({ currentTarget: { value } }) => setQuery({ until: value })}
      />
      {filter.job === '' && (
        <Checkbox
          label={t.tasks.alsoJobs}
          checked={!filter.isManual}
          onChange={(isIn) => setQuery({ jobs: isIn ? '1' : undefined })}
        />
      )}
      <Button onClick={onRefresh}>{t.tasks.refresh}</Button>
    </div>
  );
}
