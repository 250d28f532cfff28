import { Server } from 'lucide';
import { useEffect } from 'preact/hooks';
import { address, useCrumbs, useMachines } from '../../frame/index.ts';
import { Empty, Tabs } from '../../parts/index.ts';
import { TaskHistory } from '../../parts/task-history/index.ts';
import { t } from '../../strings/index.ts';
import { Charts } from './charts/tab.tsx';
import { useEvents } from './events/model.ts';
import { useFacts } from './facts/model.ts';
import { Facts } from './facts/tab.tsx';
import { Header } from './header.tsx';
import { openTab, UUID, useTabs } from './model.ts';
import { Overview } from './overview/tab.tsx';
import { AgentProbes } from './probes.tsx';
import { useReports } from './reports.ts';
import { useStored } from './settings/model.ts';
import { Settings } from './settings/tab.tsx';
import './agent.css';

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

function Machine({ uuid, tab }: { readonly uuid: string; readonly tab: string }) {
  const machines = useMachines();
  const name = machines.nameOf(uuid);
  useCrumbs({ label: name });
  const reports = useReports(uuid, 'summary');
  const facts = useFacts(uuid);
  const events = useEvents(uuid);
  const stored = useStored(uuid);
  const tabs = useTabs(uuid);
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
        onChange={(id) => openTab(uuid, id)}
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
