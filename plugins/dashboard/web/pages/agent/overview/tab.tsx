import { Link, to, useServer } from '../../../frame/index.ts';
import { OpenAlerts } from '../../../parts/alert/open.tsx';
import { Card, Empty } from '../../../parts/index.ts';
import { t } from '../../../strings/index.ts';
import { useAlerts, useMarks } from '../alerts/model.ts';
import { useSpan } from '../charts/span.ts';
import { cpu, diskSpeed, memory, network } from '../charts/specs.ts';
import { Summaries } from '../charts/summaries.tsx';
import { useView } from '../charts/view.ts';
import { EventList } from '../events/list.tsx';
import type { Event } from '../events/model.ts';
import { FactList, type FactRow } from '../facts/list.tsx';
import type { Static } from '../facts/model.ts';
import { processorRows, systemRows } from '../facts/system.ts';
import type { Reports } from '../reports.ts';
import { Documents } from './documents.tsx';
import { Figures } from './figures.tsx';

interface Props {
  readonly uuid: string;
  readonly name: string;
  readonly reports: Reports;
  readonly events: readonly Event[];
  readonly facts: Static | undefined;
}

const SPECS = [cpu, memory, network, diskSpeed];
const EVENTS = 8;

/** State of the machine now and in the last hour. */
export function Overview({ uuid, name, reports, events, facts }: Props) {
  const { has } = useServer();
  const span = useSpan();
  const marks = useMarks(uuid);
  const alerts = useAlerts(uuid);
  const view = { ...useView(span, name, events), marks };
  if (reports.state === 'live' && reports.samples.value.length === 0 && facts === undefined)
    return <Empty title={t.agent.nothing}>{t.agent.nothingHint}</Empty>;
  return (
    <div class="stack">
      <OpenAlerts alerts={alerts} />
      <Figures uuid={uuid} reports={reports} facts={facts} />
      {has('series') && <Summaries uuid={uuid} view={view} reports={reports} specs={SPECS} />}
      <p class="small">
        <Link to={to('agent', uuid, 'charts')}>{t.agent.allCharts}</Link>
      </p>
      <div class="agent-columns">
        <Card title={t.agent.events.title}>
          <EventList events={events.slice(0, EVENTS)} />
        </Card>
        <Card title={t.agent.tabs.facts}>
          <Short facts={facts} />
        </Card>
      </div>
      <Documents uuid={uuid} />
    </div>
  );
}

function Short({ facts }: { readonly facts: Static | undefined }) {
  const { system, cpu: chip, gpu } = facts ?? {};
  if (!system && !chip) return <p class="muted">{t.agent.facts.none}</p>;
  const rows: FactRow[] = [
    ...systemRows(system),
    ...processorRows(chip),
    [t.agent.facts.gpu, gpu?.map(({ name }) => name).join(', ')],
  ];
  return <FactList rows={rows} />;
}
