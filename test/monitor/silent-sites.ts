import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';

/** Connections that the system takes for a server that does not. */
const BACKLOG = 1;
/** Time without an answer of the system after which a connection counts as ignored, ms. */
const IGNORED_MS = 250;
const MOST_FILLED = 16;

/** HTTP servers on loopback, one a host, from which nothing comes while they are silent: not even a refusal. */
export interface SilentSites {
  readonly urls: readonly string[];
  silence(): Promise<void>;
  speak(): void;
  stop(): Promise<void>;
}

/** Starts the servers in a thread: one that sleeps takes no connection, and the system ignores what comes beyond a few. */
export async function silentSites(hosts: readonly string[]): Promise<SilentSites> {
  const asleep = new Int32Array(new SharedArrayBuffer(4));
  const worker = new Worker(new URL(import.meta.url), { workerData: { hosts, asleep } });
  const [ports] = (await once(worker, 'message')) as [number[]];
  const filled: Socket[] = [];
  const speak = () => {
    for (const socket of filled.splice(0)) socket.destroy();
    Atomics.store(asleep, 0, 0);
    Atomics.notify(asleep, 0);
  };
  return {
    urls: hosts.map((host, at) => `http://${host}:${ports[at]}/`),
    async silence() {
      Atomics.store(asleep, 0, 1);
      worker.postMessage('sleep');
      await once(worker, 'message');
      await Promise.all(hosts.map((host, at) => fill({ host, port: ports[at] ?? 0 }, filled)));
    },
    speak,
    async stop() {
      speak();
      await worker.terminate();
    },
  };
}

/** Opens connections until one is ignored. */
async function fill(to: { readonly host: string; readonly port: number }, filled: Socket[]) {
  for (let count = 0; count < MOST_FILLED; count++) {
    const socket = connect(to).on('error', () => undefined);
    filled.push(socket);
    const isTaken = await once(socket, 'connect', { signal: AbortSignal.timeout(IGNORED_MS) }).then(
      () => true,
      () => false,
    );
    if (!isTaken) return;
  }
  throw new Error('the system takes every connection');
}

async function serve({ hosts, asleep }: { hosts: readonly string[]; asleep: Int32Array }) {
  const ports: number[] = [];
  for (const host of hosts) {
    const server = createServer((request, response) => {
      request.resume();
      response.writeHead(200, { connection: 'close' }).end('ok');
    });
    await new Promise<void>((done) => server.listen({ host, port: 0, backlog: BACKLOG }, done));
    ports.push((server.address() as AddressInfo).port);
  }
  parentPort?.on('message', () => {
    parentPort?.postMessage('asleep');
    Atomics.wait(asleep, 0, 1);
  });
  parentPort?.postMessage(ports);
}

if (!isMainThread && workerData?.asleep) await serve(workerData);
