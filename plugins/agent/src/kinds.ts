import type { SqlValue, TimeTable } from '@svc/plugin-sdk/sql';

/** One selectable part of a report: its wire name and its column. */
export interface Field {
  readonly name: string;
  readonly column: string;
  /** JSON text in the column; otherwise a number or null. */
  readonly json: boolean;
  /** Stored times ten, answered divided by ten (monitoring-data.md §5). */
  readonly scaled: boolean;
}

/** One of the three kinds of monitoring data (monitoring-data.md §1). */
export interface Kind {
  readonly name: 'static' | 'dynamic' | 'summary';
  /** Word in the texts of denials. */
  readonly label: 'StaticMonitoring' | 'DynamicMonitoring' | 'DynamicMonitoringSummary';
  readonly permission: 'static_monitoring' | 'dynamic_monitoring' | 'dynamic_monitoring_summary';
  readonly table: string;
  readonly fields: readonly Field[];
}

/** A stored report: `uuid_id`, `timestamp`, `storage_time`, then the kind's fields in order. */
export type Row = readonly SqlValue[];

/** Columns that stand before the fields of every kind. */
export const HEAD = ['uuid_id', 'timestamp', 'storage_time'] as const;
export const TIMESTAMP = 1;
export const STORAGE_TIME = 2;

const json = (name: string): Field => ({ name, column: `${name}_data`, json: true, scaled: false });
const number = (name: string): Field => ({ name, column: name, json: false, scaled: false });
const tenfold = (name: string): Field => ({ ...number(name), scaled: true });

export const STATIC: Kind = {
  name: 'static',
  label: 'StaticMonitoring',
  permission: 'static_monitoring',
  table: 'static_monitoring',
  fields: ['cpu', 'system', 'gpu'].map(json),
};

export const DYNAMIC: Kind = {
  name: 'dynamic',
  label: 'DynamicMonitoring',
  permission: 'dynamic_monitoring',
  table: 'dynamic_monitoring',
  fields: ['cpu', 'ram', 'load', 'system', 'disk', 'network', 'gpu'].map(json),
};

export const SUMMARY: Kind = {
  name: 'summary',
  label: 'DynamicMonitoringSummary',
  permission: 'dynamic_monitoring_summary',
  table: 'dynamic_monitoring_summary',
  fields: [
    tenfold('cpu_usage'),
    number('gpu_usage'),
    number('used_swap'),
    number('total_swap'),
    number('used_memory'),
    number('total_memory'),
    number('available_memory'),
    tenfold('load_one'),
    tenfold('load_five'),
    tenfold('load_fifteen'),
    number('uptime'),
    number('boot_time'),
    number('process_count'),
    number('total_space'),
    number('available_space'),
    number('read_speed'),
    number('write_speed'),
    number('tcp_connections'),
    number('udp_connections'),
    number('total_received'),
    number('total_transmitted'),
    number('transmit_speed'),
    number('receive_speed'),
  ],
};

export const KINDS = [STATIC, DYNAMIC, SUMMARY] as const;

/** Columns of a kind's rows, in the order of `Row`. */
export const columnsOf = (kind: Kind): string[] => [
  ...HEAD,
  ...kind.fields.map(({ column }) => column),
];

/** A kind's table, where tables are partitioned by time. */
export const timeTableOf = ({ table }: Kind): TimeTable => ({
  table,
  owner: 'uuid_id',
  time: 'timestamp',
  id: 'id',
});
