import { Braces, Plus } from 'lucide';
import { useState } from 'preact/hooks';
import { address, Link, Loaded, navigate, setQuery, to } from '../../frame/index.ts';
import {
  Ask,
  Button,
  type Column,
  Empty,
  format,
  Search,
  type Sort,
  sorted,
  Table,
} from '../../parts/index.ts';
import { t } from '../../strings/index.ts';
import { type Line, useWorkers } from './model.ts';

/** All workers, and what the server has loaded of them. */
export function List() {
  const { list, lineOf, mayPool, create, mayCreate } = useWorkers();
  const [isAsking, setAsking] = useState(false);
  const button = mayCreate && (
    <Button kind="primary" icon={Plus} onClick={() => setAsking(true)}>
      {t.workers.create}
    </Button>
  );
  return (
    <>
      <Loaded of={list} what={t.workers.unread}>
        {(names) =>
          names.length === 0 ? (
            <Empty icon={Braces} title={t.workers.none}>
              <p>{t.workers.noneText}</p>
              {button}
            </Empty>
          ) : (
            <div class="stack">
              <div class="row">
                <Search
                  class="workers-filter"
                  label={t.workers.filter}
                  value={wanted()}
                  onText={(q) => setQuery({ q })}
                />
                <span class="grow" />
                {button}
              </div>
              <Lines lines={names.map(lineOf)} hasStates={mayPool} />
            </div>
          )
        }
      </Loaded>
      {isAsking && (
        <Ask
          title={t.workers.create}
          label={t.workers.name}
          action={t.workers.createAction}
          hint={t.workers.nameHint}
          check={(text) => (list.data?.includes(text.trim()) ? t.workers.nameTaken : undefined)}
          onClose={() => setAsking(false)}
          onDone={create}
        />
      )}
    </>
  );
}

const wanted = () => address.value.query.get('q') ?? '';

interface LinesProps {
  readonly lines: readonly Line[];
  readonly hasStates: boolean;
}

function Lines({ lines, hasStates }: LinesProps) {
  const [sort, setSort] = useState<Sort>();
  const columns = columnsOf().slice(0, hasStates ? undefined : 1);
  const shown = lines.filter(({ name }) => name.toLowerCase().includes(wanted().toLowerCase()));
  return (
    <Table
      label={t.workers.workers}
      columns={columns}
      rows={sorted(shown, columns, sort)}
      keyOf={({ name }) => name}
      sort={sort}
      onSort={setSort}
      onOpen={({ name }) => navigate(to('workers', { name }))}
      empty={<p class="muted workers-note">{t.frame.nothingFound}</p>}
    />
  );
}

const columnsOf = (): readonly Column<Line>[] => [
  {
    id: 'name',
    label: t.workers.name,
    width: 'minmax(160px, 1fr)',
    by: ({ name }) => name,
    render: ({ name }) => (
      <Link to={to('workers', { name })} title={name}>
        {name}
      </Link>
    ),
  },
  {
    id: 'state',
    label: t.workers.state,
    width: 'minmax(140px, 240px)',
    by: ({ runs, idle_ms }) => (runs > 0 ? -runs : idle_ms),
    render: (line) => <span class="muted">{stateOf(line)}</span>,
  },
];

function stateOf({ runs, idle_ms }: Line): string {
  if (runs > 0) return t.workers.busy(runs);
  return idle_ms === undefined ? t.workers.asleep : t.workers.idle(format.duration(idle_ms));
}
