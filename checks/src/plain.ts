import { lookup, Resolver } from 'node:dns/promises';
import { connect, isIP } from 'node:net';
import type { Door } from './network.ts';

/** Limits of a question to a name server: a silent one is asked twice. */
const QUESTION = { timeout: 2_500, tries: 2 };

/** Way out that refuses nothing, for agents: they measure what their machine reaches. */
export const plainDoor: Door = { addresses, connect: connectTo, resolver };

async function addresses({ host, family }: Parameters<Door['addresses']>[0]) {
  if (host === '') throw new Error('the host is empty');
  const own = isIP(host);
  if (own !== 0 && family !== undefined && own !== family)
    throw new Error(`${host} is not an IPv${family} address`);
  return own === 0
    ? lookup(host, { all: true, family: family ?? 0 })
    : [{ address: host, family: own }];
}

function connectTo({ address, port, signal }: Parameters<Door['connect']>[0]) {
  const { promise, resolve, reject } = Promise.withResolvers<ReturnType<typeof connect>>();
  const socket = connect({ host: address, port });
  const end = () => void socket.destroy(new Error('the connection is not needed any more'));
  signal.addEventListener('abort', end, { once: true });
  if (signal.aborted) end();
  socket.on('error', reject);
  socket.once('connect', () => {
    signal.removeEventListener('abort', end);
    resolve(socket);
  });
  return promise;
}

async function resolver(server?: Parameters<Door['resolver']>[0]): Promise<Resolver> {
  const made = new Resolver(QUESTION);
  if (server) {
    const found = await addresses(server);
    made.setServers(
      found.map(({ address, family }) =>
        family === 6 ? `[${address}]:${server.port}` : `${address}:${server.port}`,
      ),
    );
  }
  return made;
}
