import { Ellipsis, Import, Plus, Search as SearchIcon, SearchX } from 'lucide';
import { useMemo, useState } from 'preact/hooks';
import { address, Link, Loaded, navigate, setQuery, to, useServer } from '../../../frame/index.ts';
import { Button, Command, Empty, format, Icon, Menu, Search } from '../../../parts/index.ts';
import { t } from '../../../strings/index.ts';
import { NewForm } from '../editor/new.tsx';
import { mayMake, type Row, STATES, type State, useMonitors } from '../model.ts';
import { NoChannel } from '../no-channel.tsx';
import { countsOf, filtersOf, linesOf, shownOf } from './filters.ts';
import { Rows } from './rows.tsx';

/** All monitors: how many are up, those that are not, then every one with its last outcomes. */
export function ListPage() {
  const monitors = useMonitors();
  return (
    <div class="page monitors">
      <Loaded of={monitors} what={t.monitors.unreadable}>
        {(rows) => (rows.length === 0 ? <NoMonitors /> : <List rows={rows} />)}
      </Loaded>
    </div>
  );
}

function NoMonitors() {
  const server = useServer();
  return (
    <div class="monitors-first">
      <h1>{t.monitors.none}</h1>
      <p class="muted">{t.monitors.noneText}</p>
      {mayMake(server) && (
        <>
          <NewForm />
          <p class="muted">{t.probes.noneCommand}</p>
          <Command text={`npx svc monitors add ${t.monitors.whatExample}`} />
          <p class="muted">
            {t.monitors.comingFrom}{' '}
            <Link to={to('monitors-import')}>{t.frame.pages['monitors-import']}</Link>
          </p>
        </>
      )}
    </div>
  );
}

function List({ rows }: { readonly rows: readonly Row[] }) {
  const server = useServer();
  const filters = filtersOf(address.value.query);
  const [folded, setFolded] = useState<ReadonlySet<string>>(new Set());
  const shown = useMemo(() => shownOf(rows, filters), [rows, filters.text, filters.state]);
  const lines = useMemo(() => linesOf(shown, folded), [shown, folded]);
  const fold = (group: string) => {
    const next = new Set(folded);
    if (!next.delete(group)) next.add(group);
    setFolded(next);
  };
  return (
    <div class="stack">
      <header class="page-head">
        <h1 class="grow">{t.frame.pages.monitors}</h1>
        {mayMake(server) && (
          <Button kind="primary" icon={Plus} onClick={() => navigate(to('monitors', { new: '' }))}>
            {t.monitors.add}
          </Button>
        )}
        {mayMake(server) && (
          <Menu
            label={t.monitors.more}
            icon={Ellipsis}
            align="end"
            items={[
              {
                label: t.frame.pages['monitors-import'],
                icon: Import,
                onSelect: () => navigate(to('monitors-import')),
              },
            ]}
          />
        )}
      </header>
      <Sentence rows={rows} />
      <NoChannel />
      <Bar rows={rows} state={filters.state} text={filters.text} />
      {shown.length === 0 ? (
        <Empty icon={SearchX} title={t.monitors.noMatch}>
          <Button onClick={() => setQuery({ q: undefined, state: undefined })}>
            {t.monitors.showAll}
          </Button>
        </Empty>
      ) : (
        <Rows lines={lines} folded={folded} onFold={fold} />
      )}
    </div>
  );
}

/** Monitors that the sentence names. */
const NAMED = 3;

/** The answer first: "28 of 31 are up. Down: shop, mail." */
function Sentence({ rows }: { readonly rows: readonly Row[] }) {
  const { up, paused, unknown } = countsOf(rows);
  const down = rows.filter(({ state }) => state === 'down');
  const asked = rows.length - paused;
  return (
    <p class="monitors-answer">
      {asked === 0
        ? t.monitors.allPaused
        : up === asked
          ? t.monitors.allUp(asked)
          : t.monitors.someUp(up, asked)}
      {unknown > 0 && <span class="muted"> {t.monitors.areUnknown(unknown)}</span>}
      {down.length > 0 && (
        <span class="monitors-bad">
          {' '}
          {t.monitors.areDown}{' '}
          {down.slice(0, NAMED).map(({ name }, at) => (
            <>
              {at > 0 && ', '}
              <Link to={to('monitors', name)}>{name}</Link>
            </>
          ))}
          {down.length > NAMED && ` ${t.monitors.andMore(down.length - NAMED)}`}
        </span>
      )}
    </p>
  );
}

interface BarProps {
  readonly rows: readonly Row[];
  readonly state: State | undefined;
  readonly text: string;
}

function Bar({ rows, state, text }: BarProps) {
  const counts = countsOf(rows);
  return (
    <div class="row wrap">
      <div class="monitors-find">
        <Icon of={SearchIcon} />
        <Search label={t.monitors.find} value={text} onText={(q) => setQuery({ q })} />
      </div>
      {STATES.filter((one) => counts[one] > 0 || one === state).map((one) => (
        <button
          type="button"
          class="tag monitors-chip"
          key={one}
          aria-pressed={one === state}
          onClick={() => setQuery({ state: one === state ? undefined : one })}
        >
          {t.probes.states[one]} <span>{format.number(counts[one])}</span>
        </button>
      ))}
    </div>
  );
}
