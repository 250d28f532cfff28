/** Monitors with something to show: pages that answer, one that fails, groups, a heartbeat. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import type { Kit } from './kit.ts';

export interface Site {
  readonly url: string;
  /** Status of its answers; paths that begin with a status answer with that. */
  status: number;
  stop(): Promise<void>;
}

/** A web page on loopback. */
export async function site(): Promise<Site> {
  const server = createServer((request, response) => {
    const asked = Number(/^\/(\d{3})/.exec(request.url ?? '')?.[1]);
    response.writeHead(asked || made.status, { 'content-type': 'text/html' });
    response.end('<h1>Shop</h1>');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const made: Site = {
    ...{ url: `http://127.0.0.1:${port}`, status: 200 },
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return made;
}

const token = (kit: Kit) => kit.app.superToken;

export const create = (kit: Kit, monitor: object) =>
  kit.app.call('monitor_create', { token: token(kit), monitor });

/** Makes monitors of several groups, one of which is down, and has them checked some times. */
export async function watched(kit: Kit, url: string, rounds = 2): Promise<void> {
  const http = (name: string, path: string, rest: object = {}) =>
    create(kit, { name, kind: 'http', spec: { url: url + path }, retries: 0, ...rest });
  await http('shop', '/', { group: 'Customers' });
  await http('shop: checkout with a rather long name that nobody can shorten', '/pay', {
    group: 'Customers',
  });
  await http('mail', '/503', { group: 'Customers' });
  await http('文档站点', '/docs', { group: 'Inside' });
  const { port } = new URL(url);
  await create(kit, {
    ...{ name: 'database', kind: 'tcp', group: 'Inside' },
    spec: { host: '127.0.0.1', port: Number(port) },
  });
  await http('old', '/old', { enable: false });
  await create(kit, { name: 'backup', kind: 'heartbeat', spec: { period_s: 3600 } });
  for (let round = 0; round < rounds; round++) {
    for (const name of ['shop', 'mail', 'database'])
      await kit.app.call('monitor_check_now', { token: token(kit), name });
    // A monitor is checked by calls as often as the server lets it be checked at all.
    if (round < rounds - 1) await pause(10_500);
  }
}
