// One server with nothing but the bus, measured from inside: `node bench/bus-server.mjs CONFIG PLUGIN…`, commands over IPC.
import { Type, topic } from '@svc/plugin-sdk';
import { start } from '@svc/server';

const [config, ...plugins] = process.argv.slice(2);
let kernel;
const probe = {
  name: 'bus-bench',
  version: '1.0.0',
  setup(face) {
    kernel = face;
  },
};
const app = await start({ config, plugins: [probe, ...plugins], console: () => {} });
const { bus, publish, subscribe } = kernel;
const Ping = topic('ping', Type.Unknown());
const Pong = topic('pong', Type.Unknown());
const Data = topic('data', Type.Unknown());

/** Monotonic, and the same for all processes of a machine; ms. */
const now = () => Number(process.hrtime.bigint()) / 1e6;
const turn = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

let got = { count: 0, bytes: 0, times: [] };
const waiting = new Map();
subscribe(Ping, (payload, { id, own }) => {
  if (!own) bus.send(id, Pong, payload);
});
subscribe(Pong, ({ n }) => waiting.get(n)?.());
subscribe(Data, ({ at, bytes }, { own }) => {
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
        bus.send(to, Ping, { n });
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
      if (bus.send(to, Data, { at: now(), bytes })) sent++;
      await bus.drained(to);
      if (sent % 16 === 0) await turn(0);
    }
    return { sent, begun };
  },
  /** Small messages to all servers at an even pace. */
  async publish({ perSecond, ms }) {
    const begun = now();
    let sent = 0;
    while (now() - begun < ms) {
      for (; sent < ((now() - begun) / 1_000) * perSecond; sent++) {
        publish(Data, { at: now(), ids: [1, 2, 3, 4, 5] });
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
