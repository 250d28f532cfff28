import { withLimit } from '../limits.ts';
import type { TaskHandler } from '../task-context.ts';
import type { TaskKind } from '../task-kinds.ts';
import { dns } from './dns.ts';
import { editConfig } from './edit-config.ts';
import { execute } from './execute.ts';
import { httpPing } from './http-ping.ts';
import { httpRequest } from './http-request.ts';
import { ip } from './ip.ts';
import { ping } from './ping.ts';
import { readConfig } from './read-config.ts';
import { selfUpdate } from './self-update.ts';
import { tcpPing } from './tcp-ping.ts';
import { version } from './version.ts';
import { webShell } from './web-shell.ts';

const NETWORK_MS = 10_000;

/** The handler of each kind. The network kinds share ten places of the agent and have 10 s each (clients.md §2.8). */
export const taskHandlers: Record<TaskKind, TaskHandler> = {
  ping: onNetwork(ping),
  tcp_ping: onNetwork(tcpPing),
  http_ping: onNetwork(httpPing),
  dns: onNetwork(dns),
  execute,
  http_request: onNetwork(httpRequest),
  web_shell: webShell,
  read_config: readConfig,
  edit_config: editConfig,
  ip: onNetwork(ip),
  version,
  self_update: selfUpdate,
};

/** Waits for one of the ten places, then runs the handler with a limit of 10 s. */
export function onNetwork(handler: TaskHandler): TaskHandler {
  return (content, context) => {
    const { clock, network } = context.runtime;
    const limit = { clock, label: 'network task', ms: NETWORK_MS, parent: context.signal };
    return network.run(context.signal, () =>
      withLimit(limit, (signal) => handler(content, { ...context, signal })),
    );
  };
}
