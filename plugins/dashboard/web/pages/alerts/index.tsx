import {
  address,
  navigate,
  type Server,
  seesAlerts,
  to,
  useCrumbs,
  useServer,
} from '../../frame/index.ts';
import { Tabs } from '../../parts/index.ts';
import { t } from '../../strings/index.ts';
import { AlertView } from './alert/view.tsx';
import './alerts.css';
import { ChannelEditor } from './channels/editor.tsx';
import { ChannelsTab } from './channels/tab.tsx';
import { HistoryTab } from './history/tab.tsx';
import { NowTab } from './now/tab.tsx';
import { RuleEditor } from './rules/editor.tsx';
import { Gallery } from './rules/gallery.tsx';
import { RulesTab } from './rules/tab.tsx';
import { SilencesTab } from './silences/tab.tsx';

const TABS = ['now', 'history', 'rules', 'silences', 'channels'] as const;
type Tab = (typeof TABS)[number];

const seesChannels = ({ has, holds }: Server): boolean => has('notify') && holds('channel', 'read');

/** `alerts/<tab>`, `alerts/<id>`, `alerts/rules/<name>`, `alerts/channels/<name>`; `?new=` makes a rule or a channel. */
export default function Alerts() {
  const [first = 'now', name] = address.value.rest;
  const server = useServer();
  const made = address.value.query.get('new');
  if (!seesAlerts(server) && first !== 'channels') return <Lists tab={first} />;
  if (/^\d+$/.test(first)) return <AlertView key={first} id={Number(first)} />;
  if (first === 'rules' && name !== undefined)
    return <RuleEditor key={name} name={name} template={undefined} />;
  if (first === 'rules' && made === '') return <Gallery />;
  if (first === 'rules' && made !== null)
    return <RuleEditor key={made} name={undefined} template={made} />;
  if (first === 'channels' && seesChannels(server) && (name !== undefined || made !== null))
    return <ChannelEditor key={name ?? 'new'} name={name} />;
  return <Lists tab={first} />;
}

function Lists({ tab }: { readonly tab: string }) {
  const server = useServer();
  const tabs = TABS.filter((id) => (id === 'channels' ? seesChannels(server) : seesAlerts(server)));
  const current: Tab = tabs.find((id) => id === tab) ?? tabs[0] ?? 'now';
  useCrumbs(...(current === 'now' ? [] : [{ label: t.alerts.tabs[current] }]));
  return (
    <div class="page alerts">
      <h1 class="sr">{t.frame.pages.alerts}</h1>
      <Tabs
        label={t.frame.pages.alerts}
        tabs={tabs.map((id) => ({ id, label: t.alerts.tabs[id] }))}
        current={current}
        onChange={(id) => navigate(id === 'now' ? to('alerts') : to('alerts', id))}
      >
        <div>
          {current === 'now' && <NowTab />}
          {current === 'history' && <HistoryTab />}
          {current === 'rules' && <RulesTab />}
          {current === 'silences' && <SilencesTab />}
          {current === 'channels' && <ChannelsTab />}
        </div>
      </Tabs>
    </div>
  );
}
