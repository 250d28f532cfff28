import { existsSync } from 'node:fs';
import { isPin } from './cert-pin.ts';
import { problemOfLine } from './command-list.ts';
import { Fields } from './fields.ts';
import { LOG_LEVELS, type LogLevel } from './log.ts';
import { TASK_KINDS, TASK_SWITCHES, type TaskKind } from './task-kinds.ts';
import { parseUuid } from './uuid.ts';

export { ConfigError } from './fields.ts';

/** Form of a brand's word, as of `word` in the server's section `[brand]`. */
const BRAND = /^[\w.-]{1,64}$/;

/** One `[[server]]` (clients.md §2.3). */
export interface ServerConfig {
  readonly name: string;
  /** Compared as text with the server's answer, case-sensitively. */
  readonly server_uuid: string;
  readonly token: string;
  readonly ws_url: string;
  /** Word that stands for `svc` in the names of the server's methods, where it has a brand of its own. */
  readonly brand?: string | undefined;
  /** Tells whether the server stores reports; one without the plugin `agent` does not. */
  readonly allow_report: boolean;
  /** Put the document `agent_sensors` into the key-value namespace of the agent. */
  readonly allow_sensors: boolean;
  /** The same for `agent_containers`. */
  readonly allow_containers: boolean;
  readonly allow_task: boolean;
  /** Check what monitors of the server check, as far as the kinds of tasks are allowed that reach the same. */
  readonly allow_monitor: boolean;
  readonly allowed_tasks: ReadonlySet<TaskKind>;
  /** Commands that `execute` may run; null: any. */
  readonly execute_only: readonly string[] | null;
  readonly ignore_cert: boolean;
  /** Digest of the server's public key; undefined: an authority vouches for its certificate. */
  readonly cert_pin?: string | undefined;
}

/** The whole file with defaults applied. Intervals are in ms. */
export interface AgentConfig {
  readonly log_level: LogLevel;
  /** Lower-case and hyphenated. */
  readonly agent_uuid: string;
  readonly dynamic_summary_report_interval_ms: number;
  readonly dynamic_report_interval_ms: number;
  readonly static_report_interval_ms: number;
  readonly connect_timeout_ms: number;
  readonly exec_max_character: number;
  readonly terminal_shell: string;
  readonly ip_provider: 'cloudflare' | 'ipinfo';
  /** Empty, or two addresses that replace the provider's: the first asked over IPv4, the second over IPv6. */
  readonly ip_provider_urls: readonly string[];
  readonly ntp_server: string;
  readonly dynamic_summary_select_disk: readonly string[];
  readonly dynamic_summary_select_network_interface: readonly string[];
  /** Reports that wait for one server on the disk; 0: none. */
  readonly buffer_mb: number;
  readonly buffer_hours: number;
  /** Empty: the folder that the service manager gives, else one next to the configuration. */
  readonly buffer_dir: string;
  /** Socket of the container engine; empty: the first known one that is there. */
  readonly container_socket: string;
  readonly servers: readonly ServerConfig[];
}

/**
 * Checks a parsed file. Unknown keys are ignored.
 * @throws ConfigError naming the key, what is wrong and what is allowed
 */
export function validate(table: Record<string, unknown>): AgentConfig {
  const fields = new Fields(table, '');
  const summary_ms = fields.interval('dynamic_summary_report_interval_ms', 1000);
  const dynamic_ms = fields.interval('dynamic_report_interval_ms', 1000);
  if (dynamic_ms % summary_ms !== 0) {
    fields.fail(
      'dynamic_report_interval_ms',
      `must be a whole multiple of dynamic_summary_report_interval_ms (${summary_ms})`,
    );
  }
  return {
    log_level: fields.oneOf('log_level', LOG_LEVELS),
    agent_uuid: agentUuid(fields),
    dynamic_summary_report_interval_ms: summary_ms,
    dynamic_report_interval_ms: dynamic_ms,
    static_report_interval_ms: fields.interval('static_report_interval_ms', 300_000),
    connect_timeout_ms: fields.interval('connect_timeout_ms', 1000),
    exec_max_character: fields.integer('exec_max_character', 10_000, 0),
    terminal_shell: terminalShell(fields),
    ip_provider: fields.oneOf('ip_provider', ['cloudflare', 'ipinfo'] as const, 'cloudflare'),
    ip_provider_urls: ipProviderUrls(fields),
    ntp_server: fields.text('ntp_server', 'pool.ntp.org').trim(),
    dynamic_summary_select_disk: fields.texts('dynamic_summary_select_disk'),
    dynamic_summary_select_network_interface: fields.texts(
      'dynamic_summary_select_network_interface',
    ),
    buffer_mb: fields.integer('buffer_mb', 8, 0, 1024),
    buffer_hours: fields.integer('buffer_hours', 24, 1, 8760),
    buffer_dir: fields.text('buffer_dir', ''),
    container_socket: fields.text('container_socket', ''),
    servers: servers(fields),
  };
}

function agentUuid(fields: Fields): string {
  return (
    parseUuid(fields.text('agent_uuid')) ??
    fields.fail('agent_uuid', 'must be a UUID or "auto_gen"')
  );
}

function terminalShell(fields: Fields): string {
  const shell = fields.text('terminal_shell', existsSync('/bin/bash') ? '/bin/bash' : 'sh');
  if (/[\\/]/.test(shell) && !existsSync(shell)) {
    fields.fail('terminal_shell', `does not exist: ${shell}`);
  }
  return shell;
}

function ipProviderUrls(fields: Fields): string[] {
  const urls = fields.texts('ip_provider_urls');
  const areFine = urls.every((url) => URL.canParse(url) && /^https?:$/.test(new URL(url).protocol));
  if (!areFine || (urls.length !== 0 && urls.length !== 2)) {
    fields.fail('ip_provider_urls', 'must hold two http(s) addresses: for IPv4 and for IPv6');
  }
  return urls;
}

function servers(fields: Fields): ServerConfig[] {
  const list = fields.tables('server').map(server);
  if (list.length === 0) fields.fail('server', 'needs at least one [[server]]');
  const names = list.map(({ name }) => name);
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) fields.fail('server.name', `must be unique: ${twice} stands twice`);
  return list;
}

function server(fields: Fields): ServerConfig {
  return {
    name: fields.text('name'),
    server_uuid: fields.text('server_uuid'),
    token: fields.text('token'),
    ws_url: webSocketUrl(fields),
    allow_report: fields.flag('allow_report', true),
    allow_sensors: fields.flag('allow_sensors'),
    allow_containers: fields.flag('allow_containers'),
    allow_task: fields.flag('allow_task'),
    allow_monitor: fields.flag('allow_monitor', fields.flag('allow_task')),
    allowed_tasks: allowedTasks(fields),
    execute_only: executeOnly(fields),
    ignore_cert: fields.flag('ignore_cert'),
    ...brand(fields),
    ...certPin(fields),
  };
}

function brand(fields: Fields): Pick<ServerConfig, 'brand'> {
  const word = fields.text('brand', '');
  if (word !== '' && !BRAND.test(word)) fields.fail('brand', 'must be one word');
  return word === '' ? {} : { brand: word };
}

function certPin(fields: Fields): Pick<ServerConfig, 'cert_pin'> {
  const pin = fields.text('cert_pin', '');
  if (pin !== '' && !isPin(pin))
    fields.fail('cert_pin', 'must be sha256// and 44 characters of base64');
  return pin === '' ? {} : { cert_pin: pin };
}

function webSocketUrl(fields: Fields): string {
  const text = fields.text('ws_url');
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !/^wss?:$/.test(url.protocol) || url.hash !== '') {
    fields.fail('ws_url', 'must be a ws:// or wss:// address without a # part');
  }
  return text;
}

/** The kinds in `allow_task_type`, unless that is empty; then the kinds whose switch `allow_*` is true. */
function allowedTasks(fields: Fields): ReadonlySet<TaskKind> {
  const listed = fields.texts('allow_task_type');
  const unknown = listed.find((kind) => !(TASK_KINDS as readonly string[]).includes(kind));
  if (unknown !== undefined) {
    fields.fail('allow_task_type', `knows no "${unknown}": use ${TASK_KINDS.join(' ')}`);
  }
  const switched = TASK_KINDS.filter((kind) => fields.flag(TASK_SWITCHES[kind]));
  return new Set(listed.length > 0 ? (listed as TaskKind[]) : switched);
}

function executeOnly(fields: Fields): string[] | null {
  if (!fields.has('execute_only')) return null;
  const lines = fields.texts('execute_only');
  for (const line of lines) {
    const problem = problemOfLine(line);
    if (problem) fields.fail('execute_only', `holds "${line}", which ${problem}`);
  }
  return lines;
}

const withoutLogin = (text: string): string => {
  const url = new URL(text);
  if (url.username === '' && url.password === '') return text;
  url.username = url.password = '';
  return url.href;
};

/** The configuration as it may be logged: tokens and logins in addresses removed. */
export function redacted(config: AgentConfig): Record<string, unknown> {
  const servers = config.servers.map((entry) => ({
    ...entry,
    token: '***',
    ws_url: withoutLogin(entry.ws_url),
    allowed_tasks: [...entry.allowed_tasks],
  }));
  return { ...config, servers };
}
