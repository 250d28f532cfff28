import { Audit } from '@svc/plugin-audit/api';
import { definePlugin, type Kernel, reload, type Static, Type } from '@svc/plugin-sdk';
import type { Upgrade } from '@svc/plugin-sdk/http';
import { Directory } from '@svc/plugin-sdk/util';
import { Tasks } from '@svc/plugin-task/api';
import { Passes, Tokens } from '@svc/plugin-token/api';
import { agentSide } from './agent-side.ts';
import { examples } from './examples.ts';
import { type HttpRefusal, handshakeRefusal, plain } from './handshake.ts';
import { addPass, logRefusal } from './pass.ts';
import { permissions } from './permissions.ts';
import { keyOf, OpenTerminals, type Place } from './place.ts';
import { parseQuery, type TerminalQuery } from './query.ts';
import { Relay } from './relay.ts';
import { Sessions } from './sessions.ts';
import { userSide } from './user-side.ts';

const PATH = '/terminal';

const config = Type.Object({
  user_wait_ms: Type.Integer({
    minimum: 1,
    maximum: 2_147_483_647,
    default: 180_000,
    description: 'A session whose user has not come ends after this time.',
  }),
  max_sessions_per_agent: Type.Integer({
    minimum: 1,
    default: 8,
    description: 'Terminals of one agent at a time; stock agents take eight.',
  }),
});

type Config = Static<typeof config>;

/** The terminal proxy `/terminal`: joins an agent's shell and a user (terminal.md). */
export default definePlugin({
  name: 'terminal',
  namespaces: ['terminal'],
  examples,
  requires: [Tasks],
  optional: [Audit, Tokens, Passes],
  config: reload(config),
  permissions,

  setup(kernel) {
    const { auth, clock, hooks, log, signal: stopping } = kernel;
    const tasks = kernel.use(Tasks);
    const { sessions, directory, relay } = createProxy(kernel);

    hooks.request.tap((exchange) => {
      if (exchange.path !== PATH) return undefined;
      const refusal = handshakeRefusal(exchange.request) ?? plain(426, 'no WebSocket handshake');
      exchange.text(refusal.status, refusal.text, refusal.headers);
      return true;
    });

    const audit = kernel.useOptional(Audit);
    const passes = kernel.useOptional(Passes);
    hooks.methods.tap((methods) => addPass(methods, passes));
    hooks.settled.tap((call, { error }) => logRefusal(log, call, error));
    const credentials = { audit, auth, passes };
    const user = { ...credentials, clock, log, stopping, tasks, sessions, directory, relay };
    hooks.upgrade.tap(async (upgrade) => {
      if (upgrade.path !== PATH) return undefined;
      const query = admissible(upgrade);
      if ('status' in query) upgrade.refuse(query.status, query.text, query.headers);
      else if (query.taskId !== undefined && query.taskToken !== undefined)
        await agentSide(upgrade, query, { tasks, sessions, log });
      else await userSide(upgrade, query, user);
      return true;
    });
  },
});

/** Connects the sessions of this server with the other servers. */
function createProxy(kernel: Kernel<Config>) {
  const { clock, config, log, signal: stopping } = kernel;
  const directory = new Directory<Place>({
    messaging: kernel,
    topic: OpenTerminals,
    stopping,
    keyOf,
    own: () => sessions.places(),
    opened: (place, server) => sessions.openedElsewhere(place, server),
  });
  const sessions = new Sessions({
    clock,
    directory,
    userWait_ms: () => config.user_wait_ms,
    maxPerAgent: () => config.max_sessions_per_agent,
    log: (what, { agentUuid, taskId }) =>
      log.info(`terminal: ${what}`, { agent_uuid: agentUuid, task_id: taskId }),
  });
  kernel.subscribe(OpenTerminals, ({ closed }, { own }) => {
    if (!own) for (const place of closed ?? []) sessions.remember(place);
  });
  const relay = new Relay({
    messaging: kernel,
    clock,
    find: (agentUuid, terminalId) => sessions.find(agentUuid, terminalId),
    joined: (agentUuid) =>
      log.info('terminal: user came', { agent_uuid: agentUuid, relayed: true }),
  });
  return { directory, sessions, relay };
}

function admissible({ request, query }: Upgrade): TerminalQuery | HttpRefusal {
  const refusal = handshakeRefusal(request);
  if (refusal) return refusal;
  const parsed = parseQuery(query);
  return typeof parsed === 'string'
    ? plain(400, `Failed to deserialize query string: ${parsed}`)
    : parsed;
}
