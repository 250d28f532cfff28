import { connect as plainConnect, type Socket } from 'node:net';
import { connect as secureConnect } from 'node:tls';
import type { EgressConnection } from './api.ts';
import { guardedLookup, literalAddress, type Resolve } from './lookup.ts';
import type { Policy } from './policy.ts';

interface Guarded {
  readonly policy: Policy;
  readonly connect_ms: number;
  readonly refused: (target: string) => Error;
  readonly resolve: Resolve | undefined;
}

/** Opens a connection to an allowed address; with TLS its certificate is checked. @throws Error */
export function connectGuarded(
  { host, port, address: chosen, tls, signal }: EgressConnection,
  { policy, connect_ms, refused, resolve }: Guarded,
): Promise<Socket> {
  const address = literalAddress(chosen ?? host);
  if (address && !policy.allows({ host: literalAddress(host) ?? host, port, address }))
    throw refused(address);
  const to = {
    host: address ?? host,
    port,
    lookup: guardedLookup({
      isAllowed: (found) => policy.allows({ host, port, address: found }),
      ...{ refused, resolve },
    }),
  };
  const servername = literalAddress(host) === undefined ? { servername: host } : {};
  const socket = tls ? secureConnect({ ...to, ...servername, ...tls }) : plainConnect(to);
  return new Promise((done, fail) => {
    const end = (error: Error) => void socket.destroy(error);
    const tooLong = () =>
      end(Object.assign(new Error('connection takes too long'), { code: 'ETIMEDOUT' }));
    const late = setTimeout(tooLong, connect_ms);
    const abort = () => end(new Error('the connection is not needed any more'));
    signal.addEventListener('abort', abort, { once: true });
    if (signal.aborted) abort();
    const settled = () => {
      clearTimeout(late);
      signal.removeEventListener('abort', abort);
    };
    socket.once('close', () => {
      settled();
      fail(new Error('the connection was closed'));
    });
    socket.on('error', fail);
    socket.once(tls ? 'secureConnect' : 'connect', () => {
      settled();
      done(socket);
    });
  });
}
