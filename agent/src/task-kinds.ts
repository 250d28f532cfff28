/** The twelve kinds of clients.md §2.3, in its order. */
export const TASK_KINDS = [
  'ping',
  'tcp_ping',
  'http_ping',
  'dns',
  'execute',
  'http_request',
  'web_shell',
  'read_config',
  'edit_config',
  'ip',
  'version',
  'self_update',
] as const;
export type TaskKind = (typeof TASK_KINDS)[number];

/** The configuration switch of each kind. */
export const TASK_SWITCHES = {
  ping: 'allow_icmp_ping',
  tcp_ping: 'allow_tcp_ping',
  http_ping: 'allow_http_ping',
  dns: 'allow_dns',
  execute: 'allow_execute',
  http_request: 'allow_http_request',
  web_shell: 'allow_web_shell',
  read_config: 'allow_read_config',
  edit_config: 'allow_edit_config',
  ip: 'allow_ip',
  version: 'allow_version',
  self_update: 'allow_self_update',
} satisfies Record<TaskKind, string>;
