import { Ban } from 'lucide';
import type { ComponentType } from 'preact';
import { address, navigate, to, useServer } from '../../frame/index.ts';
import type { Method } from '../../frame/server.ts';
import { Empty, Skeleton, Tabs } from '../../parts/index.ts';
import { t } from '../../strings/index.ts';
import { Audit } from './audit/tab.tsx';
import { Configuration } from './configuration/tab.tsx';
import { Log } from './log/tab.tsx';
import { Overview } from './overview/tab.tsx';
import { Retention } from './retention/tab.tsx';
import { StatusPages } from './status/tab.tsx';
import './server.css';

interface Part {
  readonly id: 'overview' | 'retention' | 'status' | 'log' | 'configuration' | 'audit';
  readonly plugin: string;
  readonly method?: Method;
  readonly right?: readonly [kind: string, verb?: string];
  readonly Shown: ComponentType;
}

const parts: readonly Part[] = [
  { id: 'overview', plugin: 'server-info', Shown: Overview },
  {
    id: 'retention',
    plugin: 'retention',
    method: 'svc-server_read_config',
    Shown: Retention,
  },
  { id: 'status', plugin: 'status-page', right: ['status_page'], Shown: StatusPages },
  { id: 'log', plugin: 'server-info', method: 'svc-server_stream_log', Shown: Log },
  {
    id: 'configuration',
    plugin: 'server-info',
    method: 'svc-server_read_config',
    Shown: Configuration,
  },
  { id: 'audit', plugin: 'audit', right: ['audit', 'read'], Shown: Audit },
];

/** `server/<part>`; the filters of a part are in the query. */
export default function Server() {
  const { has, may, holds } = useServer();
  const [asked] = address.value.rest;
  // Undefined: not known yet. A part appears once it is.
  const rightTo = ({ plugin, method, right }: Part) =>
    has(plugin) && (!right || holds(...right)) && (method === undefined || may(method));
  const shown = parts.filter((one) => rightTo(one) !== false && rightTo(one) !== undefined);
  const part = parts.find(({ id }) => id === (asked ?? 'overview'));
  return (
    <div class="page server">
      <h1 class="sr">{t.frame.pages.server}</h1>
      <Tabs
        label={t.frame.pages.server}
        tabs={shown.map(({ id }) => ({ id, label: t.server.parts[id] }))}
        current={part?.id ?? ''}
        onChange={(id) => navigate(id === 'overview' ? to('server') : to('server', id))}
      >
        {part && shown.includes(part) ? (
          <part.Shown />
        ) : part && rightTo(part) === undefined ? (
          <Skeleton rows={5} />
        ) : (
          <Missing part={part} />
        )}
      </Tabs>
    </div>
  );
}

function Missing({ part }: { readonly part: Part | undefined }) {
  const { has } = useServer();
  if (!part) return <Empty icon={Ban} title={t.frame.unknownTitle} />;
  if (!has(part.plugin))
    return (
      <Empty icon={Ban} title={t.frame.offTitle}>
        {t.frame.off(part.plugin)}
      </Empty>
    );
  return (
    <Empty icon={Ban} title={t.frame.forbiddenTitle}>
      {t.frame.forbidden(part.method ?? part.right?.join(' ') ?? '')}
    </Empty>
  );
}
