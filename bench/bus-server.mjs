// One server with nothing but the bus, measured from inside: `node bench/bus-server.mjs CONFIG PLUGIN…`, commands over IPC.
import { boot } from '@svc/kernel';

const [config, ...plugins] = process.argv.slice(2);
let kernel;
const probe = {
  name: 'bus-bench',
  version: '1.0.0',
  setup(face) {
    kernel = face;
  },
};
const app = await boot({ config, plugins: [probe, ...plugins], console: () => {} });
const { bus } = kernel;

/** Monotonic, and the same for all processes of a machine; ms. */
const now = () => Number(process.hrtime.bigint()) / 1e6;
const turn = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

let got = { count: 0, bytes: 0, times: [] };
const waiting = new Map();
bus.subscribe('ping', (payload, { id, own }) => {
  if (!own) bus.send(id, 'pong', payload);
});
bus.subscribe('pong', ({ n }) => waiting.get(n)?.());
bus.subscribe('data', ({ at, bytes }, { own }) => {
  if (own) return;
  got.count++;
  got.bytes += bytes?.length ?? 0;
  got.times.push(now() - at);
});

const commands = {
  servers: () => bus.servers().map(({ id }) => id),
  reset() {
    got = { count: 0, bytes: 0, times: [] };
  },
  got: () => ({ ...got, until: now(), rss_mb: process.memoryUsage.rss() / 2 ** 20 }),
  /** Round trips of direct messages, one after the other, ms. */
  async ping({ to, count }) {
    const times = [];
    for (let n = 0; n < count; n++) {
      const begun = now();
      await new Promise((resolve) => {
        waiting.set(n, resolve);
        bus.send(to, 'ping', { n });
      });
      waiting.delete(n);
      times.push(now() - begun);
    }
    return times;
  },
  /** As much as leaves in this time; sends until the receiver's side is told to stop. */
  async stream({ to, size, ms }) {
    const bytes = new Uint8Array(size).fill(97);
    const begun = now();
    let sent = 0;
    while (now() - begun < ms) {
      if (bus.send(to, 'data', { at: now(), bytes })) sent++;
      await bus.drained(to);
      if (sent % 16 === 0) await turn(0);
    }
    return { sent, begun };
  },
  /** Small messages to everybody at an even pace. */
  async publish({ perSecond, ms }) {
    const begun = now();
    let sent = 0;
    while (now() - begun < ms) {
      for (; sent < ((now() - begun) / 1_000) * perSecond; sent++) {
        bus.publish('data', { at: now(), ids: [1, 2, 3, 4, 5] });
      }
      await turn(1);
    }
    return { sent, begun };
  },
};

process.on('message', async ({ call, ...parameters }) => {
  process.send({ result: (await commands[call](parameters)) ?? null });
});
process.once('disconnect', async () => {
  await app.stop('bench');
  process.exit(0);
});
process.send({ result: bus.id });
