import type { Methods } from '@svc/client';
import {
  Link,
  Loaded,
  type Server,
  to,
  useMachines,
  usePoll,
  useServer,
} from '../../frame/index.ts';
import { Amount, Card, format } from '../../parts/index.ts';
import { StateMark } from '../../parts/monitor/state.tsx';
import { t } from '../../strings/index.ts';

type Listed = Methods['monitor_list']['result'];
type State = Methods['monitor_overview']['result'][number]['states'][number];

interface Seen extends State {
  readonly name: string;
}

const EVERY_MS = 30_000;
/** Monitors of one call, and calls at most. */
const PAGE = 200;
const MOST_PAGES = 10;
/** Monitors of a place that are named. */
const NAMED = 60;

async function seenBy({ call }: Server): Promise<ReadonlyMap<string, readonly Seen[]>> {
  const places = new Map<string, Seen[]>();
  let after: number | null = 0;
  for (let page = 0; page < MOST_PAGES && after !== null; page++) {
    const { monitors, next }: Listed = await call('monitor_list', { limit: PAGE, after });
    // Heartbeats are called, and groups consist of others: no place checks them.
    const checked = monitors.filter(({ kind }) => kind !== 'heartbeat' && kind !== 'group');
    const names = new Map(checked.map(({ id, name }) => [id, name]));
    const found =
      names.size === 0 ? [] : await call('monitor_overview', { ids: [...names.keys()] });
    for (const { id, states } of found)
      for (const state of states) {
        const mine = places.get(state.place) ?? [];
        mine.push({ ...state, name: names.get(id) ?? '' });
        places.set(state.place, mine);
      }
    after = next;
  }
  return places;
}

/** Monitors by the place that checks them: the server first, then machines. */
export function MonitorPlaces() {
  const server = useServer();
  if (!server.has('monitor') || !server.holds('monitor', 'read')) return null;
  return <Places />;
}

function Places() {
  const server = useServer();
  const { nameOf } = useMachines();
  const places = usePoll('monitors by place', () => seenBy(server), { every_ms: EVERY_MS });
  const titleOf = (place: string) => (place === 'server' ? t.probes.places.server : nameOf(place));
  return (
    <Loaded of={places} skeleton={<span />}>
      {(found) =>
        found.size === 0 ? null : (
          <Card title={t.probes.places.title} class="probes-places">
            {[...found]
              .sort(
                ([a], [b]) =>
                  Number(b === 'server') - Number(a === 'server') ||
                  titleOf(a).localeCompare(titleOf(b)),
              )
              .map(([place, seen]) => (
                <Place key={place} title={titleOf(place)} seen={seen} isOpen={found.size === 1} />
              ))}
          </Card>
        )
      }
    </Loaded>
  );
}

const isBad = ({ state }: Seen): boolean => state === 'down' || state === 'suspect';

interface PlaceProps {
  readonly title: string;
  readonly seen: readonly Seen[];
  readonly isOpen: boolean;
}

function Place({ title, seen, isOpen }: PlaceProps) {
  const bad = seen.filter(isBad).length;
  const badFirst = seen.toSorted(
    (a, b) => Number(isBad(b)) - Number(isBad(a)) || a.name.localeCompare(b.name),
  );
  return (
    <details open={isOpen}>
      <summary>
        <strong>{title}</strong>{' '}
        <span class={bad > 0 ? 'probes-slow' : 'muted'}>
          {t.probes.places.count(seen.length, bad)}
        </span>
      </summary>
      <ul>
        {badFirst.slice(0, NAMED).map(({ name, state, ms }) => (
          <li key={name}>
            <StateMark of={state} />
            <Link to={to('monitors', name)} class="ellipsis">
              {name}
            </Link>
            <Amount of={ms === null ? undefined : format.milliseconds(ms)} />
          </li>
        ))}
      </ul>
      {seen.length > NAMED && (
        <Link to={to('monitors')}>{t.probes.places.more(seen.length - NAMED)}</Link>
      )}
    </details>
  );
}
