import { AREAS, type Entry, type Limit, permissionOf } from './model.ts';

/** Purposes of most tokens. */
export const PRESETS = ['viewer', 'operator', 'agent', 'backup'] as const;
export type Preset = (typeof PRESETS)[number];

/** All rights of these kinds and verbs, with every argument that there is. */
const every = (kind: string, ...verbs: readonly string[]): readonly unknown[] =>
  AREAS.flatMap(({ rights }) => rights)
    .filter((right) => right.kind === kind && verbs.includes(right.verb))
    .flatMap((right) => {
      if (right.isPattern) return [permissionOf(right, '*')];
      return right.choices?.map((one) => permissionOf(right, one)) ?? [permissionOf(right)];
    });

/** Rights of a viewer, as in docs/guide/tokens.md: figures and the names of machines. */
const VIEWER_RIGHTS: readonly unknown[] = [
  { monitoring_uuid: 'list' },
  { dynamic_monitoring_summary: 'read' },
  { static_monitoring: { read: 'system' } },
  { static_monitoring: { read: 'cpu' } },
  { kv: { read: 'metadata_*' } },
];

const operatorRights = (): readonly unknown[] => [
  ...VIEWER_RIGHTS,
  { static_monitoring: { read: 'gpu' } },
  ...every('dynamic_monitoring', 'read'),
  { kv: { read: 'agent_*' } },
  { kv: { write: 'metadata_*' } },
  ...every('task', 'create', 'read'),
  ...every('terminal', 'connect'),
  ...every('crontab', 'read', 'write', 'delete'),
  ...every('crontab_result', 'read'),
];

const KEEPS = (): readonly unknown[] => [
  ...every('kv', 'list_all_namespace', 'list_all_keys', 'read'),
  ...every('db', 'list', 'read'),
  ...every('static_bucket', 'read'),
  ...every('static_bucket_file', 'list', 'read'),
  ...every('js_worker', 'list_all_js_worker', 'read'),
  ...every('crontab', 'read'),
];

/** Rights of one machine: its reports, its tasks, and the documents of sensors and containers. */
const machineEntries = (uuid: string): Limit => [
  {
    scopes: [{ agent_uuid: uuid }],
    permissions: [
      { static_monitoring: 'write' },
      { dynamic_monitoring: 'write' },
      { dynamic_monitoring_summary: 'write' },
      { task: 'listen' },
      { task: { write: '*' } },
    ],
  },
  { scopes: [{ kv_namespace: uuid }], permissions: [{ kv: { write: 'agent_*' } }] },
];

const everywhere = (permissions: readonly unknown[]): readonly Entry[] => [
  { scopes: ['global'], permissions },
];

/** @param uuid the machine of an agent; empty: none is chosen yet */
export function limitOfPreset(preset: Preset, uuid: string): Limit {
  if (preset === 'viewer') return everywhere(VIEWER_RIGHTS);
  if (preset === 'operator') return everywhere(operatorRights());
  if (preset === 'backup') return everywhere(KEEPS());
  return uuid === '' ? [] : machineEntries(uuid);
}
