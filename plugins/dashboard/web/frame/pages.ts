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
import type { Method, Server } from './server.ts';

export interface Page {
  readonly id: PageId;
  readonly icon: IconNode;
  /** In the menu; the others are reached from another page. */
  readonly inMenu: boolean;
  /** One of these plugins is enough. */
  readonly plugins: readonly string[];
  /** One of these is enough; none: any credential. */
  readonly methods: readonly Method[];
  readonly load: () => Promise<{ readonly default: ComponentType }>;
}

/** Every page is a folder that is loaded when it is opened; its `index.tsx` exports the component by default. */
export const pages: readonly Page[] = [
  {
    id: 'fleet',
    icon: LayoutGrid,
    inMenu: true,
    plugins: ['agent'],
    methods: ['agent_subscribe'],
    load: () => import('../pages/fleet/index.tsx'),
  },
  {
    id: 'agent',
    icon: ServerIcon,
    inMenu: false,
    plugins: ['agent'],
    methods: ['agent_subscribe'],
    load: () => import('../pages/agent/index.tsx'),
  },
  {
    id: 'probes',
    icon: Activity,
    inMenu: true,
    plugins: ['task'],
    methods: ['task_query'],
    load: () => import('../pages/probes/index.tsx'),
  },
  {
    id: 'tasks',
    icon: ListChecks,
    inMenu: true,
    plugins: ['task'],
    methods: ['task_create_task', 'task_query'],
    load: () => import('../pages/tasks/index.tsx'),
  },
  {
    id: 'terminal',
    icon: SquareTerminal,
    inMenu: false,
    plugins: ['terminal'],
    methods: [],
    load: () => import('../pages/terminal/index.tsx'),
  },
  {
    id: 'jobs',
    icon: CalendarClock,
    inMenu: true,
    plugins: ['crontab'],
    methods: ['crontab_get'],
    load: () => import('../pages/jobs/index.tsx'),
  },
  {
    id: 'stores',
    icon: Database,
    inMenu: true,
    plugins: ['kv', 'db', 'static-bucket-file'],
    methods: ['kv_list_all_namespace', 'db_list', 'static-bucket_list'],
    load: () => import('../pages/stores/index.tsx'),
  },
  {
    id: 'workers',
    icon: Braces,
    inMenu: true,
    plugins: ['js-worker'],
    methods: ['js-worker_list_all_js_worker'],
    load: () => import('../pages/workers/index.tsx'),
  },
  {
    id: 'tokens',
    icon: KeyRound,
    inMenu: true,
    plugins: ['token'],
    // Every token may look at itself.
    methods: [],
    load: () => import('../pages/tokens/index.tsx'),
  },
  {
    id: 'server',
    icon: ServerIcon,
    inMenu: true,
    plugins: ['server-info'],
    methods: ['svc-server_stream_log', 'svc-server_read_config', 'audit_query'],
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
  page: Page,
  { has, may }: Server,
): { readonly plugin: string } | { readonly method: string } | undefined {
  const [plugin = ''] = page.plugins;
  if (!page.plugins.some(has)) return { plugin };
  const [method] = page.methods;
  if (method !== undefined && page.methods.every((one) => may(one) === false)) return { method };
  return undefined;
}
