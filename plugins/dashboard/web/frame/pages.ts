import {
  Activity,
  Braces,
  CalendarClock,
  Database,
  type IconNode,
  KeyRound,
  LayoutGrid,
  ListChecks,
  Server as ServerIcon,
  SquareTerminal,
} from 'lucide';
import type { ComponentType } from 'preact';
// Where most begin: it comes with the frame.
import FleetPage from '../pages/fleet/index.tsx';
import type { Method, Server } from './server.ts';

export interface Page {
  readonly id: PageId;
  readonly icon: IconNode;
  /** In the menu; the others are reached from another page. */
  readonly inMenu: boolean;
  /** One of these plugins is enough. */
  readonly plugins: readonly string[];
  /** One of these rights, held anywhere, is enough, or one of the methods; neither: any credential. */
  readonly rights?: readonly (readonly [kind: string, verb?: string])[];
  readonly methods?: readonly Method[];
  readonly load: () => Promise<{ readonly default: ComponentType }>;
}

/** Every other page is a folder that is loaded when it is opened; its `index.tsx` exports the component by default. */
export const pages: readonly Page[] = [
  {
    id: 'fleet',
    icon: LayoutGrid,
    inMenu: true,
    plugins: ['agent'],
    rights: [
      ['dynamic_monitoring_summary'],
      ['dynamic_monitoring'],
      ['static_monitoring'],
      ['monitoring_uuid'],
    ],
    load: async () => ({ default: FleetPage }),
  },
  {
    id: 'agent',
    icon: ServerIcon,
    inMenu: false,
    plugins: ['agent'],
    rights: [
      ['dynamic_monitoring_summary'],
      ['dynamic_monitoring'],
      ['static_monitoring'],
      ['monitoring_uuid'],
    ],
    load: () => import('../pages/agent/index.tsx'),
  },
  {
    id: 'probes',
    icon: Activity,
    inMenu: true,
    plugins: ['task'],
    rights: [['task', 'read']],
    load: () => import('../pages/probes/index.tsx'),
  },
  {
    id: 'tasks',
    icon: ListChecks,
    inMenu: true,
    plugins: ['task'],
    rights: [
      ['task', 'create'],
      ['task', 'read'],
    ],
    load: () => import('../pages/tasks/index.tsx'),
  },
  {
    id: 'terminal',
    icon: SquareTerminal,
    inMenu: false,
    plugins: ['terminal'],
    rights: [['terminal', 'connect']],
    load: () => import('../pages/terminal/index.tsx'),
  },
  {
    id: 'jobs',
    icon: CalendarClock,
    inMenu: true,
    plugins: ['crontab'],
    rights: [
      ['crontab', 'read'],
      ['crontab', 'write'],
    ],
    load: () => import('../pages/jobs/index.tsx'),
  },
  {
    id: 'stores',
    icon: Database,
    inMenu: true,
    plugins: ['kv', 'db', 'static-bucket-file'],
    rights: [
      ['kv', 'list_all_namespace'],
      ['db', 'list'],
    ],
    methods: ['static-bucket_list'],
    load: () => import('../pages/stores/index.tsx'),
  },
  {
    id: 'workers',
    icon: Braces,
    inMenu: true,
    plugins: ['js-worker'],
    rights: [['js_worker', 'list_all_js_worker']],
    load: () => import('../pages/workers/index.tsx'),
  },
  {
    id: 'tokens',
    icon: KeyRound,
    inMenu: true,
    plugins: ['token'],
    load: () => import('../pages/tokens/index.tsx'),
  },
  {
    id: 'server',
    icon: ServerIcon,
    inMenu: true,
    plugins: ['server-info'],
    rights: [['audit', 'read'], ['status_page']],
    methods: ['svc-server_stream_log', 'svc-server_read_config'],
    load: () => import('../pages/server/index.tsx'),
  },
];

export type PageId =
  | 'fleet'
  | 'agent'
  | 'probes'
  | 'tasks'
  | 'terminal'
  | 'jobs'
  | 'stores'
  | 'workers'
  | 'tokens'
  | 'server';

export const pageOf = (id: string): Page | undefined => pages.find((page) => page.id === id);

/** What stands between this reader and the page: nothing, a plugin that is off, or a right. */
export function obstacle(
  { plugins, rights = [], methods = [] }: Page,
  { has, may, holds }: Server,
): { readonly plugin: string } | { readonly right: string } | undefined {
  const [plugin = ''] = plugins;
  if (!plugins.some(has)) return { plugin };
  const wanted = [...rights.map((right) => right.join(' ')), ...methods];
  if (wanted.length === 0 || rights.some((right) => holds(...right))) return undefined;
  if (methods.some((method) => may(method) !== false)) return undefined;
  return { right: wanted.join(', ') };
}

/** Where a reader begins: the first page of the menu that is for this token. */
export const firstPage = (server: Server): Page | undefined =>
  pages.find((page) => page.inMenu && !obstacle(page, server));
