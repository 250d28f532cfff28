import { isDeepStrictEqual } from 'node:util';
import type { AgentConfig, ServerConfig } from './config.ts';
import { TASK_SWITCHES } from './task-kinds.ts';

/** A configuration: its table as it is written, and what the agent makes of it. */
export interface Written {
  readonly table: Readonly<Record<string, unknown>>;
  readonly config: AgentConfig;
}

/** Keys that a server may change: how often the machine is measured, and what the sums count. */
const FREE = new Set([
  'log_level',
  'dynamic_summary_report_interval_ms',
  'dynamic_report_interval_ms',
  'static_report_interval_ms',
  'connect_timeout_ms',
  'dynamic_summary_select_disk',
  'dynamic_summary_select_network_interface',
]);

/** Flags of a `[[server]]`. A server may turn them off. */
const FLAGS = [
  'allow_report',
  'allow_sensors',
  'allow_containers',
  'ignore_cert',
] as const satisfies (keyof ServerConfig)[];

/** Keys of a `[[server]]` that are compared by what they allow, not by their text. */
const PERMISSIONS = new Set<string>([
  ...FLAGS,
  'allow_task',
  'allow_monitor',
  'allow_task_type',
  'execute_only',
  ...Object.values(TASK_SWITCHES),
]);

const refusal = (problem: string): Error =>
  new Error(
    `Permission Denied: edit_config may not ${problem}; that is changed in the file on the machine`,
  );

const refuse = (problem: string): never => {
  throw refusal(problem);
};

/**
 * Checks a configuration that came from a server. It may change the keys of measuring and take permissions away. All
 * other keys, unknown ones too, must stay as they are: a later version of the agent may know them.
 * @throws Error that names the first key that is not allowed to change
 */
export function checkChange(before: Written, after: Written): void {
  if (before.config.agent_uuid !== after.config.agent_uuid) refuse('change agent_uuid');
  const apart = new Set([...FREE, 'agent_uuid', 'server']);
  mustStay(before.table, after.table, apart, '');
  const names = after.config.servers.map(({ name }) => name);
  const missing = before.config.servers.find(({ name }) => !names.includes(name));
  if (missing) refuse(`remove or rename server "${missing.name}"`);
  for (const server of after.config.servers) {
    const earlier = before.config.servers.find(({ name }) => name === server.name);
    if (!earlier) throw refusal(`add server "${server.name}"`);
    const where = ` of server "${server.name}"`;
    mustStay(tableOf(before, server.name), tableOf(after, server.name), PERMISSIONS, where);
    mustNotWiden(earlier, server);
  }
}

type Table = Written['table'];

const tableOf = ({ table }: Written, name: string): Table =>
  (table['server'] as Table[]).find((entry) => entry['name'] === name) ?? {};

function mustStay(before: Table, after: Table, apart: ReadonlySet<string>, where: string): void {
  const keys = new Set([...Object.keys(before), ...Object.keys(after)]);
  for (const key of keys) {
    if (apart.has(key) || isDeepStrictEqual(before[key], after[key])) continue;
    refuse(`change ${key}${where}`);
  }
}

/** Returns the kinds that a server may really ask for, by tasks or by monitors. */
const kindsOf = (server: ServerConfig, key: 'allow_task' | 'allow_monitor'): string[] =>
  server[key] ? [...server.allowed_tasks] : [];

function mustNotWiden(before: ServerConfig, after: ServerConfig): void {
  const where = `server "${after.name}"`;
  for (const key of ['allow_task', 'allow_monitor'] as const) {
    const kinds = kindsOf(before, key);
    const more = kindsOf(after, key).filter((kind) => !kinds.includes(kind));
    const what = key === 'allow_task' ? '' : ' for monitors';
    if (more.length > 0) refuse(`allow ${where} the kind ${more.join(', ')}${what}`);
  }
  const flag = FLAGS.find((key) => after[key] && !before[key]);
  if (flag) refuse(`turn on ${flag} of ${where}`);
  const { execute_only: listed } = before;
  if (listed === null) return;
  const added = after.execute_only?.find((line) => !listed.includes(line));
  if (after.execute_only === null) refuse(`remove execute_only of ${where}`);
  if (added !== undefined) refuse(`add "${added}" to execute_only of ${where}`);
}
