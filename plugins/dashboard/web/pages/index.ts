import {
  Activity,
  Braces,
  CalendarClock,
  Database,
  Import,
  KeyRound,
  LayoutGrid,
  ListChecks,
  Radar,
  Server as ServerIcon,
  Siren,
  SquareTerminal,
} from 'lucide';
import type { Page } from '../frame/pages.ts';
import { withWords } from '../strings/index.ts';
import * as english from './fleet/en.ts';
import FleetPage from './fleet/index.tsx';

/** Pages, each a folder whose `index.tsx` exports the component by default. The fleet comes with the frame; the others are loaded when they are opened. */
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
    load: withWords(
      'fleet',
      { en: async () => english, zh: () => import('./fleet/zh.ts') },
      async () => ({ default: FleetPage }),
    ),
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
    load: withWords(
      'agent',
      { en: () => import('./agent/en.ts'), zh: () => import('./agent/zh.ts') },
      () => import('./agent/index.tsx'),
    ),
  },
  {
    id: 'alerts',
    icon: Siren,
    inMenu: true,
    plugins: ['alert'],
    rights: [
      ['alert', 'read'],
      ['channel', 'read'],
    ],
    load: withWords(
      'alerts',
      { en: () => import('./alerts/en.ts'), zh: () => import('./alerts/zh.ts') },
      () => import('./alerts/index.tsx'),
    ),
  },
  {
    id: 'monitors',
    icon: Radar,
    inMenu: true,
    plugins: ['monitor'],
    rights: [
      ['monitor', 'read'],
      ['monitor', 'write'],
    ],
    load: withWords(
      'monitors',
      { en: () => import('./monitors/en.ts'), zh: () => import('./monitors/zh.ts') },
      () => import('./monitors/index.tsx'),
    ),
  },
  {
    id: 'probes',
    icon: Activity,
    inMenu: true,
    plugins: ['task'],
    rights: [['task', 'read']],
    load: () => import('./probes/index.tsx'),
  },
  {
    id: 'monitors-import',
    icon: Import,
    inMenu: false,
    plugins: ['monitor'],
    rights: [['monitor', 'write']],
    load: withWords(
      'monitorsImport',
      { en: () => import('./monitors-import/en.ts'), zh: () => import('./monitors-import/zh.ts') },
      () => import('./monitors-import/index.tsx'),
    ),
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
    load: () => import('./tasks/index.tsx'),
  },
  {
    id: 'terminal',
    icon: SquareTerminal,
    inMenu: false,
    plugins: ['terminal'],
    rights: [['terminal', 'connect']],
    load: withWords(
      'terminal',
      { en: () => import('./terminal/en.ts'), zh: () => import('./terminal/zh.ts') },
      () => import('./terminal/index.tsx'),
    ),
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
    load: withWords(
      'jobs',
      { en: () => import('./jobs/en.ts'), zh: () => import('./jobs/zh.ts') },
      () => import('./jobs/index.tsx'),
    ),
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
    load: withWords(
      'stores',
      { en: () => import('./stores/en.ts'), zh: () => import('./stores/zh.ts') },
      () => import('./stores/index.tsx'),
    ),
  },
  {
    id: 'workers',
    icon: Braces,
    inMenu: true,
    plugins: ['js-worker'],
    rights: [['js_worker', 'list_all_js_worker']],
    load: withWords(
      'workers',
      { en: () => import('./workers/en.ts'), zh: () => import('./workers/zh.ts') },
      () => import('./workers/index.tsx'),
    ),
  },
  {
    id: 'tokens',
    icon: KeyRound,
    inMenu: true,
    plugins: ['token'],
    load: withWords(
      'tokens',
      { en: () => import('./tokens/en.ts'), zh: () => import('./tokens/zh.ts') },
      () => import('./tokens/index.tsx'),
    ),
  },
  {
    id: 'server',
    icon: ServerIcon,
    inMenu: true,
    plugins: ['server-info'],
    rights: [['audit', 'read'], ['status_page']],
    methods: ['svc-server_stream_log', 'svc-server_read_config'],
    load: withWords(
      'server',
      { en: () => import('./server/en.ts'), zh: () => import('./server/zh.ts') },
      () => import('./server/index.tsx'),
    ),
  },
];
