import { Server } from 'lucide';
import { useEffect } from 'preact/hooks';
import { address, go, setQuery, to, useCrumbs, useMachines, useServer } from '../../frame/index.ts';
import { Empty, Tabs } from '../../parts/index.ts';
import { TaskHistory } from '../../parts/task-history/index.ts';
import { t } from '../../strings/index.ts';
import { Charts } from './charts/tab.tsx';
import { useEvents } from './events/model.ts';
import { useFacts } from './facts/model.ts';
import { Facts } from './facts/tab.tsx';
import { Header } from './header.tsx';
import { Overview } from './overview/tab.tsx';
import { AgentProbes } from './probes.tsx';
import { useReports } from './reports.ts';
import { keyOfLimit, LIMITS, NOTES, useMetadata, useStored } from './settings/model.ts';
import { Settings } from './settings/tab.tsx';
import './agent.css';

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** `agent/<uuid>/<tab>` */
export default function Agent() {
  const [uuid = '', tab = 'overview'] = address.value.rest;
  if (!UUID.test(uuid))
    return (
      <Empty icon={Server} title={t.agent.unknown}>
        {t.agent.unknownHint}
      </Empty>
    );
  return <Machine key={uuid} uuid={uuid} tab={tab} />;
}

const TABS = ['overview', 'charts', 'probes', 'tasks', 'facts', 'settings'] as const;
type Tab = (typeof TABS)[number];
const SETTINGS = [...NOTES, ...LIMITS.map(keyOfLimit)];

function Machine({ uuid, tab }: { readonly uuid: string; readonly tab: string }) {
  const { has, covers } = useServer();
  const { mayEdit } = useMetadata(uuid);
  const machines = useMachines();
  const name = machines.nameOf(uuid);
  useCrumbs({ label: name });
  const reports = useReports(uuid, 'summary');
  const facts = useFacts(uuid);
  const events = useEvents(uuid);
  const stored = useStored(uuid);
  const readsSummaries = covers('dynamic_monitoring_summary', 'read', uuid);
  const tabs = TABS.filter((id) => {
    if (id === 'overview' || id === 'charts') return readsSummaries;
    if (id === 'probes' || id === 'tasks') return has('task') && covers('task', 'read', uuid);
    if (id === 'settings') return SETTINGS.some(mayEdit);
    return true;
  });
  const current = tabs.find((id) => id === tab) ?? tabs[0] ?? 'facts';
  useEffect(() => void machines.refresh(), [uuid]);
  const parts = { uuid, name, reports, facts, events: events.data ?? [] };
  return (
    <div class="page agent">
      <Header {...parts} stored={stored.data ?? {}} />
      <Tabs
        label={t.agent.tabs.label}
        tabs={tabs.map((id) => ({ id, label: t.agent.tabs[id] }))}
        current={current}
        onChange={(id) => open(uuid, id as Tab)}
      >
        <div>
          {current === 'overview' && <Overview {...parts} />}
          {current === 'charts' && <Charts {...parts} />}
          {current === 'probes' && <AgentProbes {...parts} />}
          {current === 'tasks' && (
            <div class="stack">
              <TaskHistory machine={uuid} />
            </div>
          )}
          {current === 'facts' && <Facts {...parts} of={events} stored={stored.data ?? {}} />}
          {current === 'settings' && <Settings uuid={uuid} stored={stored} />}
        </div>
      </Tabs>
    </div>
  );
}

/** The time that is shown stays from tab to tab. */
function open(uuid: string, tab: Tab): void {
  const { query } = address.value;
  go(tab === 'overview' ? to('agent', uuid) : to('agent', uuid, tab));
  setQuery({
    range: query.get('range') ?? undefined,
    from: query.get('from') ?? undefined,
    to: query.get('to') ?? undefined,
  });
}
