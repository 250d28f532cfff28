import { withLimit } from '../limits.ts';
import type { TaskHandler } from '../task-context.ts';
import type { TaskKind } from '../task-kinds.ts';

const NETWORK_MS = 10_000;

/** The handler of each kind. The network kinds share ten places of the agent and have 10 s each (clients.md §2.8). */
export const taskHandlers: Record<TaskKind, TaskHandler> = {
  ping: onNetwork(loaded(async () => (await import('./ping.ts')).ping)),
  tcp_ping: onNetwork(loaded(async () => (await import('./tcp-ping.ts')).tcpPing)),
  http_ping: onNetwork(loaded(async () => (await import('./http-ping.ts')).httpPing)),
  dns: onNetwork(loaded(async () => (await import('./dns.ts')).dns)),
  execute: loaded(async () => (await import('./execute.ts')).execute),
  http_request: onNetwork(loaded(async () => (await import('./http-request.ts')).httpRequest)),
  web_shell: loaded(async () => (await import('./web-shell.ts')).webShell),
  read_config: loaded(async () => (await import('./read-config.ts')).readConfig),
  edit_config: loaded(async () => (await import('./edit-config.ts')).editConfig),
  ip: onNetwork(loaded(async () => (await import('./ip.ts')).ip)),
  version: loaded(async () => (await import('./version.ts')).version),
  self_update: loaded(async () => (await import('./self-update.ts')).selfUpdate),
};

/** Loads a kind at its first task: most agents never run most of them. */
function loaded(load: () => Promise<TaskHandler>): TaskHandler {
  return async (content, context) => (await load())(content, context);
}

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
