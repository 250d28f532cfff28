import { SEVERITIES, type Severity } from '@svc/plugin-notify/api';
import type { SqlValue } from '@svc/plugin-sdk/sql';
import type { Kind, Monitor, Places } from '../types.ts';

/** Monitor without what only its checks and its form need. */
export type ListedMonitor = Omit<Monitor, 'spec' | 'secret'> & {
  /** Something of it is sealed. */
  readonly has_secret: boolean;
};
/** Monitor as it is written: the store gives the rest. */
export type NewMonitor = Omit<Monitor, 'id' | 'version' | 'created_at' | 'updated_at'>;

const PLAIN = `id, name, kind, group_name, tags, interval_s, timeout_s, retries, retry_s, recover_after,
  places, down_when, condition, upside_down, parent, severity, public_name, enable, note, owner, imported_from,
  version, created_at, updated_at`;
export const LISTED = `${PLAIN}, has_secret`;
/** What `LISTED` is of a table `monitor`. */
export const LISTED_OF = `${PLAIN}, secret <> '{}' as has_secret`;
export const MONITOR = `${PLAIN}, spec, secret`;

type Coded =
  | 'group'
  | 'tags'
  | 'places'
  | 'upside_down'
  | 'severity'
  | 'enable'
  | 'spec'
  | 'secret';

export interface ListedRow extends Omit<Monitor, Coded> {
  readonly group_name: string | null;
  readonly tags: string;
  readonly places: string;
  readonly upside_down: number;
  readonly severity: number;
  readonly enable: number;
  readonly has_secret: number | boolean;
}

export interface MonitorRow extends Omit<ListedRow, 'has_secret'> {
  readonly spec: string;
  readonly secret: string;
}

export const listedOf = ({ has_secret, ...row }: ListedRow): ListedMonitor => ({
  ...plainOf(row),
  has_secret: Boolean(has_secret),
});

function plainOf({ group_name, ...row }: Omit<ListedRow, 'has_secret'>) {
  return {
    ...row,
    id: Number(row.id),
    kind: row.kind as Kind,
    group: group_name,
    tags: JSON.parse(row.tags) as string[],
    places: JSON.parse(row.places) as Places,
    upside_down: row.upside_down === 1,
    parent: row.parent === null ? null : Number(row.parent),
    severity: SEVERITIES[row.severity] as Severity,
    enable: row.enable === 1,
    created_at: Number(row.created_at),
    updated_at: Number(row.updated_at),
  };
}

export const monitorOf = ({ spec, secret, ...row }: MonitorRow): Monitor => ({
  ...plainOf(row),
  spec: JSON.parse(spec) as Record<string, unknown>,
  secret: JSON.parse(secret) as Record<string, string>,
});

/** Returns the columns that a change may set. */
export function valuesOf(monitor: NewMonitor): Record<string, SqlValue> {
  const { name, kind, group, interval_s, timeout_s, retries, retry_s, recover_after } = monitor;
  const { down_when, condition, parent, public_name, note, owner, imported_from } = monitor;
  return {
    ...{ name, kind, group_name: group, interval_s, timeout_s, retries, retry_s, recover_after },
    ...{ down_when, condition, parent, public_name, note, owner, imported_from },
    spec: JSON.stringify(monitor.spec),
    secret: JSON.stringify(monitor.secret),
    tags: JSON.stringify(monitor.tags),
    places: JSON.stringify(monitor.places),
    upside_down: Number(monitor.upside_down),
    severity: SEVERITIES.indexOf(monitor.severity),
    enable: Number(monitor.enable),
  };
}
