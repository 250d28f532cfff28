import { Radar } from 'lucide';
import { Link, Loaded, navigate, to, useCrumbs, useServer } from '../../../frame/index.ts';
import { OpenAlerts } from '../../../parts/alert/open.tsx';
import { Button, Empty, ErrorNote, format, sentenceOf } from '../../../parts/index.ts';
import { reasonText } from '../../../parts/monitor/reason.ts';
import { StateMark } from '../../../parts/monitor/state.tsx';
import { t } from '../../../strings/index.ts';
import { isChecked, isMissing, type Monitor, mayWrite, pauseText } from '../model.ts';
import { NoChannel } from '../no-channel.tsx';
import { About } from './about.tsx';
import { Actions } from './actions.tsx';
import { Certificates } from './certificates.tsx';
import { Figures } from './figures.tsx';
import { Heartbeat } from './heartbeat.tsx';
import { Members, membersOf } from './members.tsx';
import { isElsewhere, useAlertsOf, useMonitor, usePlaceName, useUptime } from './model.ts';
import { Outages } from './outages.tsx';
import { LastFailure, Places } from './places.tsx';
import { Times } from './times.tsx';
import { UptimeCard } from './uptime.tsx';

/** One monitor: how it is and since when, from where, how it was. */
export function MonitorPage({ name }: { readonly name: string }) {
  const { monitor, hurry } = useMonitor(name);
  useCrumbs({ label: name });
  return (
    <div class="page monitors">
      {isMissing(monitor.error) ? (
        <Empty icon={Radar} title={t.monitors.unknown}>
          <Button onClick={() => navigate(to('monitors'))}>{t.monitors.toAll}</Button>
        </Empty>
      ) : (
        <Loaded of={monitor} what={t.monitors.unreadable}>
          {(found) => <Content monitor={found} onChanged={hurry} />}
        </Loaded>
      )}
    </div>
  );
}

/** Machine at the beginning of a problem. */
const UUID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}(?=: )/;

/** Nothing is open of what is off; the server ends it in a moment. */
const NONE: ReturnType<typeof useAlertsOf> = [];

interface Props {
  readonly monitor: Monitor;
  readonly onChanged: () => void;
}

function Content({ monitor, onChanged }: Props) {
  const { name, kind, problem, verdict, states, certificates, created_at, enable } = monitor;
  const server = useServer();
  const alerts = useAlertsOf(name);
  const uptime = useUptime(name);
  const nameOf = usePlaceName();
  const mayChange = mayWrite(server, name);
  const { agents = [], tags: words = [] } = monitor.places;
  const isElse = agents.length + words.length > 0 || states.some(({ place }) => isElsewhere(place));
  const seen = certificates.length > 0 && <Certificates list={certificates} />;
  return (
    <div class="stack">
      <header class="page-head">
        <h1 class="grow monitors-title">{name}</h1>
        <Actions {...{ monitor, mayChange, onChanged }} />
      </header>
      <Verdict monitor={monitor} />
      <NoChannel />
      {problem !== null && (
        <ErrorNote what={t.monitors.problem} error={problem.replace(UUID, nameOf)} />
      )}
      <Figures {...{ monitor, uptime }} />
      <OpenAlerts alerts={enable ? alerts : NONE} />
      {kind === 'heartbeat' && <Heartbeat {...{ monitor, mayChange, onChanged }} />}
      {kind === 'group' && <Members of={monitor} />}
      {isChecked(kind) && isElse && <Places monitor={monitor} />}
      <LastFailure monitor={monitor} />
      {kind === 'tls' && seen}
      {isChecked(kind) && <Times name={name} made_at={created_at} />}
      <div class="monitors-columns">
        <UptimeCard uptime={uptime} />
        <div class="stack">
          <Outages name={name} since={verdict.since} />
          {kind !== 'tls' && seen}
          <About monitor={monitor} />
        </div>
      </div>
    </div>
  );
}

/** How it is, since when and why; below, what it watches. */
function Verdict({ monitor }: Pick<Props, 'monitor'>) {
  const { verdict, kind, spec, interval_s, enable } = monitor;
  const { state, since, detail } = verdict;
  const pause = monitor.paused_by;
  const shown = enable && !pause ? state : 'paused';
  const parts = [
    t.monitors.kinds[kind],
    subjectOf(spec),
    isChecked(kind) ? t.monitors.every(format.duration(interval_s * 1000)) : '',
    kind === 'heartbeat' ? timesOf(spec) : '',
    kind === 'group' ? t.monitors.members(membersOf(monitor).length) : '',
  ];
  return (
    <div class="stack monitors-verdict">
      <div class="row wrap">
        <StateMark of={shown} />
        {shown === state && (
          <span class="muted" title={format.dateTime(since)}>
            {t.monitors.since(format.when(since), format.duration(Date.now() - since))}
          </span>
        )}
        {shown === 'paused' && pause && (
          <Link to={to('alerts', 'silences')}>{pauseText(pause)}</Link>
        )}
        {shown !== 'up' && shown !== 'paused' && detail !== '' && (
          <span class="monitors-why">{sentenceOf(reasonText(detail))}</span>
        )}
      </div>
      <p class="muted monitors-subject">{parts.filter((one) => one !== '').join(' · ')}</p>
    </div>
  );
}

/** When a heartbeat is expected: its period, or its cron line and zone, and how late it may be. */
function timesOf(spec: Monitor['spec']): string {
  const { period_s, cron, zone, grace_s } = spec as Record<string, string | number | undefined>;
  const grace = t.monitors.heartbeat.grace(format.duration(Number(grace_s) * 1_000));
  const times =
    cron === undefined
      ? t.monitors.every(format.duration(Number(period_s) * 1_000))
      : `${cron} (${zone ?? 'UTC'})`;
  return `${times} · ${grace}`;
}

function subjectOf(spec: Monitor['spec']): string {
  const { url, host, port, name } = spec as Record<string, string | number | undefined>;
  if (url !== undefined) return String(url);
  if (host !== undefined) return port === undefined ? String(host) : `${host}:${port}`;
  return String(name ?? '');
}
