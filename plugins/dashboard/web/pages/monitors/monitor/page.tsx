import { Radar } from 'lucide';
import { Loaded, navigate, to, useCrumbs, useServer } from '../../../frame/index.ts';
import { OpenAlerts } from '../../../parts/alert/open.tsx';
import { Button, Card, Empty, ErrorNote, format } from '../../../parts/index.ts';
import { StateMark } from '../../../parts/monitor/state.tsx';
import { t } from '../../../strings/index.ts';
import { isMissing, type Monitor, mayWrite } from '../model.ts';
import { Actions } from './actions.tsx';
import { Certificates } from './certificates.tsx';
import { Heartbeat } from './heartbeat.tsx';
import { useAlertsOf, useMonitor } from './model.ts';
import { Outages } from './outages.tsx';
import { LastFailure, Places } from './places.tsx';
import { Times } from './times.tsx';
import { UptimeCard } from './uptime.tsx';

/** One monitor: how it is and since when, from where, how it was. */
export function MonitorPage({ name }: { readonly name: string }) {
  const monitor = useMonitor(name);
  useCrumbs({ label: name });
  return (
    <div class="page monitors">
      {isMissing(monitor.error) ? (
        <Empty icon={Radar} title={t.monitors.unknown}>
          <Button onClick={() => navigate(to('monitors'))}>{t.monitors.toAll}</Button>
        </Empty>
      ) : (
        <Loaded of={monitor} what={t.monitors.unreadable}>
          {(found) => <Content monitor={found} onChanged={monitor.refresh} />}
        </Loaded>
      )}
    </div>
  );
}

interface Props {
  readonly monitor: Monitor;
  readonly onChanged: () => void;
}

function Content({ monitor, onChanged }: Props) {
  const { name, kind, problem, verdict, states, certificates } = monitor;
  const server = useServer();
  const alerts = useAlertsOf(name);
  const isChecked = kind !== 'heartbeat' && kind !== 'group';
  return (
    <div class="stack">
      <header class="page-head">
        <h1 class="grow monitors-title">{name}</h1>
        <Actions
          monitor={monitor}
          mayChange={mayWrite(server, name)}
          isChecked={isChecked}
          onChanged={onChanged}
        />
      </header>
      <Verdict monitor={monitor} />
      {problem !== null && <ErrorNote what={t.monitors.problem} error={problem} />}
      <OpenAlerts alerts={alerts} />
      {kind === 'heartbeat' && <Heartbeat monitor={monitor} />}
      {states.length > 0 && <Places monitor={monitor} />}
      <LastFailure monitor={monitor} />
      {isChecked && <Times name={name} />}
      <div class="monitors-columns">
        <UptimeCard name={name} />
        <Outages name={name} since={verdict.since} />
      </div>
      {certificates.length > 0 && <Certificates list={certificates} />}
      {monitor.note !== '' && (
        <Card title={t.monitors.fields.note}>
          <p class="monitors-note">{monitor.note}</p>
        </Card>
      )}
    </div>
  );
}

function Verdict({ monitor: { verdict, kind, spec, interval_s, enable } }: Pick<Props, 'monitor'>) {
  const { state, since, detail } = verdict;
  const shown = enable ? state : 'paused';
  return (
    <div class="monitors-verdict">
      <StateMark of={shown} />
      <span class="muted" title={format.dateTime(since)}>
        {t.monitors.since(format.when(since), format.duration(Date.now() - since))}
      </span>
      {shown !== 'up' && detail !== '' && <span class="monitors-why">{detail}</span>}
      <span class="muted monitors-subject">
        {[t.monitors.kinds[kind], subjectOf(spec), every(kind, interval_s)]
          .filter((one) => one !== '')
          .join(' · ')}
      </span>
    </div>
  );
}

const every = (kind: Monitor['kind'], interval_s: number): string =>
  kind === 'heartbeat' || kind === 'group'
    ? ''
    : t.monitors.every(format.duration(interval_s * 1000));

function subjectOf(spec: Monitor['spec']): string {
  const { url, host, port, name, cron } = spec as Record<string, string | number | undefined>;
  if (url !== undefined) return String(url);
  if (host !== undefined) return port === undefined ? String(host) : `${host}:${port}`;
  return String(name ?? cron ?? '');
}
