import { Braces, Plus } from 'lucide';
import { useState } from 'preact/hooks';
import { address, go, Link, Loaded, setQuery, to, usePoll, useServer } from '../../frame/index.ts';
import {
  Ask,
  Button,
  type Column,
  Empty,
  format,
  type Sort,
  sorted,
  Table,
  textToBase64,
} from '../../parts/index.ts';
import { t } from '../../strings/index.ts';
import { EXAMPLE } from './model.ts';

interface Line {
  readonly name: string;
  /** ms without a run; undefined: not loaded, or not for this token. */
  readonly idle_ms: number | undefined;
  readonly runs: number;
}

/** All workers, and what the server has loaded of them. */
export function List() {
  const { call, may } = useServer();
  const filter = address.value.query.get('q') ?? '';
  const [sort, setSort] = useState<Sort>();
  const [isAsking, setAsking] = useState(false);
  const list = usePoll('workers', () => call('js-worker_list_all_js_worker'), { every_ms: 15_000 });
  const mayPool = may('js-worker_get_rt_pool') === true;
  const pool = usePoll(
    `pool ${mayPool}`,
    async () => (mayPool ? (await call('js-worker_get_rt_pool')).workers : []),
    { every_ms: 5_000 },
  );
  const mayCreate = may('js-worker_create', { name: 'a', js_script_base64: 'YQ==' }) === true;
  const linesOf = (names: readonly string[]): readonly Line[] =>
    names
      .filter((name) => name.toLowerCase().includes(filter.toLowerCase()))
      .map((name) => {
        const found = pool.data?.find((one) => one.script_name === name);
        return { name, idle_ms: found?.idle_ms, runs: found?.active_requests ?? 0 };
      });
  const columns: Column<Line>[] = [
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
    ...(mayPool
      ? [
          {
            id: 'state',
            label: t.workers.state,
            width: 'minmax(140px, 240px)',
            by: ({ runs, idle_ms }: Line) => (runs > 0 ? -runs : idle_ms),
            render: (line: Line) => <span class="muted">{stateOf(line)}</span>,
          },
        ]
      : []),
  ];
  const create = mayCreate && (
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
              {create}
            </Empty>
          ) : (
            <div class="stack">
              <div class="row">
                <input
                  class="input workers-filter"
                  type="search"
                  placeholder={t.workers.filter}
                  aria-label={t.workers.filter}
                  value={filter}
                  onInput={(event) => setQuery({ q: event.currentTarget.value })}
                />
                <span class="grow" />
                {create}
              </div>
              <Table
                label={t.workers.workers}
                columns={columns}
                rows={sorted(linesOf(names), columns, sort)}
                keyOf={({ name }) => name}
                sort={sort}
                onSort={setSort}
                onOpen={({ name }) => go(to('workers', { name }))}
                empty={<p class="muted workers-note">{t.frame.nothingFound}</p>}
              />
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
          onDone={async (text) => {
            const name = text.trim();
            await call('js-worker_create', { name, js_script_base64: textToBase64(EXAMPLE) });
            go(to('workers', { name }));
          }}
        />
      )}
    </>
  );
}

function stateOf({ runs, idle_ms }: Line): string {
  if (runs > 0) return t.workers.busy(runs);
  return idle_ms === undefined ? t.workers.asleep : t.workers.idle(format.duration(idle_ms));
}
