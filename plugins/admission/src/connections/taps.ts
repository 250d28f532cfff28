import { EARLY, type Kernel, LAST } from '@svc/plugin-sdk';
import { Lateness } from '@svc/plugin-sdk/util';
import type { Refusals } from '../api.ts';
import type { ConnectionSettings, HostSettings } from './config.ts';
import { connectionsAllowed } from './descriptors.ts';
import { HostCheck } from './host-check.ts';
import { Connections } from './open-connections.ts';
import { Proxies } from './proxies.ts';
import { Receiving } from './receiving.ts';

const SECOND_MS = 1_000;
/** Stage before the JSON-RPC handler and after everything else. */
const BEFORE_LAST = LAST - 1;

type Parts = Kernel<ConnectionSettings, HostSettings>;

/** Decides about connections, hosts and origins, and about the memory of what is still coming. */
export function tapConnections(kernel: Parts, refusals: Refusals): void {
  const { clock, config, every, hooks, log, root, server } = kernel;
  let allowed: number | undefined;
  const limit = () => {
    allowed ??= connectionsAllowed();
    return Math.min(config.max_connections ?? allowed, allowed);
  };
  const common = { clock, settings: config, refusals };
  const connections = new Connections({ ...common, log, places: server.places, limit });
  const hasOneClient = connections.hasOneClient.bind(connections);
  const receiving = new Receiving({ ...common, hasOneClient });
  const proxies = new Proxies();
  proxies.configure(root.trusted_proxies);

  hooks.connection.tap((connection) => {
    proxies.attach(connection);
    return connections.accept(connection);
  });
  hooks.vouched.tap((connection, caller) => connections.vouched(connection, caller));
  hooks.receiving.tap((receipt) => receiving.change(receipt));
  hooks.request.tap((exchange) => void connections.request(exchange), { stage: EARLY });
  hooks.upgrade.tap((upgrade) => void connections.upgrading(upgrade), { stage: EARLY });
  hooks.upgrade.tap((upgrade) => connections.upgrade(upgrade), { stage: LAST });
  hooks.reload.tap(() => proxies.configure(root.trusted_proxies));
  hooks.start.tap(() => {
    const { limit: places } = server.places();
    if (limit() < places)
      log.info('fewer connections than JSON-RPC places: raise the limit of open files', {
        connections: limit(),
        jsonrpc_max_connections: places,
      });
    const lateness = new Lateness(SECOND_MS, clock.now());
    every('connections', SECOND_MS, () => {
      const late_ms = lateness.next(clock.now());
      connections.sweep(late_ms);
      receiving.sweep(late_ms);
    });
  });
  tapHostCheck(kernel, new HostCheck(root, refusals));
}

function tapHostCheck({ hooks, log }: Parts, hostCheck: HostCheck): void {
  let url = '';
  hooks.request.tap((exchange) => hostCheck.request(exchange), { stage: EARLY });
  hooks.request.tap((exchange) => hostCheck.call(exchange), { stage: BEFORE_LAST });
  hooks.upgrade.tap((upgrade) => hostCheck.upgrade(upgrade), { stage: EARLY });
  hooks.ready.tap((listening) => {
    url = listening.url;
    for (const { message } of hostCheck.advice(url)) log.info(message);
  });
  hooks.warnings.tap((found) => void found.push(...hostCheck.advice(url)));
}
