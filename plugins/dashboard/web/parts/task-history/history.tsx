import { ChevronDown, ListChecks } from 'lucide';
import { useState } from 'preact/hooks';
import {
  address,
  Link,
  type Server,
  setQuery,
  to,
  useMachines,
  usePoll,
  useServer,
} from '../../frame/index.ts';
import { t } from '../../strings/index.ts';
import { Button, Empty, ErrorNote, isDenied, Skeleton, Table, useWork } from '../index.ts';
import { KINDS } from '../task-form.tsx';
import { columnsOf } from './columns.tsx';
import { Details } from './details.tsx';
import { Filters } from './filters.tsx';
import { newest, older, PAGE, type Row, type TaskFilter } from './rows.ts';
import './task-history.css';

/** A list without a kind has all but this one. */
const LISTED = KINDS.filter((kind) => kind !== 'self_update');

/** Filters live in the address; the page of a machine has its own alone. */
function filterOf(query: URLSearchParams, machine: string | undefined): TaskFilter {
  const get = (name: string) => query.get(name) ?? '';
  const day = Date.parse(get('until'));
  return {
    machine: machine ?? get('machine'),
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

interface Props {
  /** UUID; undefined: those of all machines, unless the address names one. */
  readonly machine?: string;
}

const EVERY_MS = 5_000;

/** Rows of the filter: the first page is read again and again, until older ones are asked for. */
function useHistory(filter: TaskFilter) {
  const server = useServer();
  const key = JSON.stringify(filter);
  const [long, setLong] = useState<{
    readonly key: string;
    readonly rows: readonly Row[];
    readonly isLast: boolean;
  }>();
  const more = long?.key === key ? long : undefined;
  const first = usePoll(
    `tasks ${key}`,
    () => newest(server, filter),
    more ? {} : { every_ms: EVERY_MS },
  );
  const rows = more?.rows ?? first.data?.rows;
  const hasMore = more ? !more.isLast : first.data?.given === PAGE;
  const {
    run: loadOlder,
    isBusy,
    error: broken,
  } = useWork(async () => {
    const { found, isLast } = await older(server, filter, rows ?? []);
    setLong({ key, rows: [...(rows ?? []), ...found], isLast });
  });
  const refresh = () => {
    setLong(undefined);
    first.refresh();
  };
  return { rows, hasMore, loadOlder, isBusy, refresh, error: first.error ?? broken };
}

/** Tasks that have run, the newest first, page by page. The first page follows what happens. */
export function TaskHistory({ machine }: Props) {
  const { nameOf } = useMachines();
  const filter = narrowed(filterOf(address.value.query, machine), useServer());
  const { rows, hasMore, loadOlder, isBusy, refresh, error } = useHistory(filter);
  const [open, setOpen] = useState<Row>();
  return (
    <>
      <Filters filter={filter} hasMachine={machine === undefined} onRefresh={refresh} />
      {error !== undefined && (
        <ErrorNote
          what={
            isDenied(error) && filter.machine === '' ? t.tasks.chooseMachine : t.tasks.unreadable
          }
          error={error}
          onRetry={refresh}
        />
      )}
      {rows ? (
        <Table
          label={t.tasks.history}
          columns={columnsOf(machine === undefined ? nameOf : undefined, filter, setOpen)}
          rows={rows}
          keyOf={({ task_id }) => String(task_id)}
          onOpen={setOpen}
          empty={<None filter={filter} />}
        />
      ) : (
        error === undefined && <Skeleton rows={8} height={28} />
      )}
      {hasMore && (
        <div>
          <Button icon={ChevronDown} busy={isBusy} onClick={() => void loadOlder()}>
            {t.tasks.older}
          </Button>
        </div>
      )}
      {open && <Details row={open} onClose={() => setOpen(undefined)} onDeleted={refresh} />}
    </>
  );
}

function None({ filter: { machine, isManual } }: { readonly filter: TaskFilter }) {
  const { covers } = useServer();
  return (
    <Empty icon={ListChecks} title={t.tasks.noTasks}>
      <p>{isManual ? t.tasks.noManualHint : t.tasks.noTasksHint}</p>
      <div class="row wrap">
        {isManual && <Button onClick={() => setQuery({ jobs: '1' })}>{t.tasks.showJobs}</Button>}
        {machine !== '' && covers('task', 'create', machine) && (
          <Link to={to('tasks', { machine })}>{t.tasks.runOne}</Link>
        )}
      </div>
    </Empty>
  );
}
