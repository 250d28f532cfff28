/** The bus's side of a transport: connecting again, sending again, and bounds. */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import * as assert from 'uvu/assert';
import type { LocalBus } from '../kernel/src/local-bus.ts';
import type { BusConnection, BusFrame, BusLink, BusTransport } from '../plugins/bus/src/api.ts';
import { fakeClock } from '../server/src/testing/fake-clock.ts';
import { type BareBus, bareBus } from './bus-kit.ts';
import { memoryLog } from './kernel/database-kit.ts';
import { suite } from './runner/suite.ts';

const test = suite('bus transport');

/** The time of all servers of a test. */
const clock = fakeClock();
const pause = (ms: number) => clock.advance(ms);

/** Lets time pass until something holds. @throws with `what` after a minute of it */
async function until(what: string, holds: () => unknown): Promise<void> {
  for (const end = clock.now() + 60_000; !holds(); await clock.advance(10)) {
    if (clock.now() > end) throw new Error(`${what}: not within a minute`);
  }
}

/** A network in memory that loses what a test wants lost. */
class Network {
  readonly links = new Set<BusLink>();
  readonly frames: BusFrame[] = [];
  /** All of them, or the server with this id. */
  refuse: boolean | string = false;
  /** The server that gets no answer any more on the connection it has. */
  hang: string | undefined;
  deaf = false;
  /** Is not heard, and hears the others: as a process that was stopped, which finds what waited for it. */
  asleep: string | undefined;

  readonly transport: BusTransport = {
    name: 'memory',
    frameBytes: 1_000,
    connect: async (link): Promise<BusConnection> => {
      if (this.refuse === true || this.refuse === link.id) throw new Error('refused');
      this.links.add(link);
      return {
        send: async (frames) => {
          if (this.hang === link.id) await new Promise(() => {});
          if (!this.links.has(link)) throw new Error('ended');
          this.frames.push(...frames);
          if (this.deaf) return;
          for (const { to, text } of frames) {
            for (const other of this.links) {
              if (this.asleep === link.id) continue;
              if (to === undefined || to === other.id) other.receive(text);
            }
          }
        },
        close: async () => void this.links.delete(link),
      };
    },
  };

  cut(): void {
    for (const link of [...this.links]) {
      this.links.delete(link);
      link.failed(new Error('cut'));
    }
  }

  /** Lets the server connect after the others, so that they hear what it says first. */
  async heal(last: End): Promise<void> {
    this.refuse = last.bus.id;
    await until('the others', () => this.links.size > 0);
    this.refuse = false;
  }
}

interface End {
  readonly bus: LocalBus;
  close(): Promise<void>;
  readonly got: unknown[];
  readonly events: string[];
  readonly log: ReturnType<typeof memoryLog>;
  rereads: number;
}

const opened: BareBus[] = [];

async function join(network: Network): Promise<End> {
  const log = memoryLog();
  const bare = bareBus(log, clock);
  const { bus, close } = bare;
  opened.push(bare);
  const end: End = { bus, close, got: [], events: [], log, rereads: 0 };
  bus.subscribe('test', 't', (payload, { own }) => own || end.got.push(payload));
  bus.subscribe('test', 'database.changed', () => {
    end.rereads++;
  });
  bus.watch('test', ({ kind }) => end.events.push(kind));
  bus.publish('t', 'early');
  await bare.open(network.transport);
  return end;
}

/** After a garbage collection, bytes. */
function heapUsed(): number {
  setFlagsFromString('--expose-gc');
  runInNewContext('gc')();
  return process.memoryUsage().heapUsed;
}

const isBeatOf = ({ bus }: End, { text }: BusFrame) =>
  text.startsWith(`{"v":1,"from":"${bus.id}"`) && text.includes('"beat"');

const lines = ({ log }: End, pattern: RegExp) =>
  log.lines.filter(({ message }) => pattern.test(message)).length;

test.after.each(async () => {
  for (const bus of opened.splice(0)) await bus.close();
});

test('what plugins publish before the connection is there is sent after it', async () => {
  const network = new Network();
  const one = await join(network);
  await join(network);
  await until('the early message', () => one.got.length === 1);
  assert.equal(one.got, ['early']);
});

test('messages of one turn leave in one frame', async () => {
  const network = new Network();
  const one = await join(network);
  const two = await join(network);
  await until('both', () => one.bus.servers().length === 1 && one.got.length === 1);
  const numbers = () => two.got.filter((payload) => typeof payload === 'number');
  await pause(50);
  network.frames.length = 0;
  for (let n = 0; n < 50; n++) one.bus.publish('t', n);
  await until('all', () => numbers().length === 50);
  const filled = network.frames.filter(({ text }) => text.includes('"m"'));
  assert.is(filled.length, 1);
});

test('a lost frame is told with the next beat, though nothing follows', async () => {
  const network = new Network();
  const one = await join(network);
  const two = await join(network);
  await until('both', () => two.bus.servers().length === 1);
  await pause(300);
  network.deaf = true;
  one.bus.publish('t', 'lost');
  await until('sent', () => network.frames.some(({ text }) => text.includes('lost')));
  network.deaf = false;
  network.frames.length = 0;
  let beats: number | undefined;
  two.bus.watch('test', ({ kind }) => {
    if (kind === 'gap') beats = network.frames.filter((sent) => isBeatOf(one, sent)).length;
  });
  await until('the gap', () => two.rereads > 0);
  assert.is(beats, 1);
  assert.not(one.events.includes('gap'));
});

test('a connection that ends is made again; both sides read again; it is logged once each way', async () => {
  const network = new Network();
  const one = await join(network);
  const two = await join(network);
  await until('both', () => one.bus.servers().length === 1 && two.bus.servers().length === 1);
  network.refuse = true;
  network.cut();
  one.bus.publish('t', 'kept');
  await pause(400);
  await network.heal(one);
  await until('read again', () => one.rereads > 0 && two.rereads > 0);
  await until('the message', () => two.got.includes('kept'));
  for (const end of [one, two]) {
    assert.equal([lines(end, /not connected/), lines(end, /connected again/)], [1, 1]);
    assert.equal(
      end.events.filter((kind) => kind === 'left'),
      [],
    );
  }
});

test('a transport that does not answer is left for another connection, and the frames come again, once', async () => {
  const network = new Network();
  const one = await join(network);
  const two = await join(network);
  await until('both', () => two.bus.servers().length === 1);
  network.hang = one.bus.id;
  one.bus.publish('t', 'patient');
  await until('noticed', () => lines(one, /not connected/) === 1);
  network.hang = undefined;
  await until('the message', () => two.got.includes('patient'));
  await pause(50);
  assert.is(two.got.filter((payload) => payload === 'patient').length, 1);
});

test('without a connection messages wait within a bound; beyond, all are dropped and the others read again', async () => {
  const network = new Network();
  const one = await join(network);
  const two = await join(network);
  await until('both', () => two.bus.servers().length === 1);
  network.refuse = true;
  network.cut();
  const piece = 'x'.repeat(100_000);
  const before = heapUsed();
  for (let n = 0; n < 1_000; n++) one.bus.publish('t', piece + n);
  await pause(0);
  const grown = heapUsed() - before;
  assert.ok(grown < 12 * 1024 * 1024, `${grown} bytes`);
  assert.is(lines(one, /too much waits/) > 0, true);
  network.refuse = false;
  const rereads = two.rereads;
  await until('read again', () => two.rereads > rereads);
  assert.ok(two.got.length < 200, `${two.got.length}`);
});

test('a direct message to a server that is not there, or beyond the bound, is refused', async () => {
  const network = new Network();
  const one = await join(network);
  const two = await join(network);
  await until('both', () => one.bus.servers().length === 1);
  assert.is(one.bus.send('nobody', 't', 1), false);
  await one.bus.drained('nobody');
  network.refuse = true;
  network.cut();
  const piece = new Uint8Array(1_000_000);
  const taken = Array.from({ length: 20 }, () => one.bus.send(two.bus.id, 't', piece));
  assert.is(taken.filter((was) => was).length, 6, 'six of 1.33 MB fit into 8 MiB');
  await network.heal(one);
  let drained = false;
  void one.bus.drained(two.bus.id).then(() => {
    drained = true;
  });
  await until('drained', () => drained);
  assert.is(one.bus.send(two.bus.id, 't', 'next'), true);
  await until('the message', () => two.got.includes('next'));
});

test('what has no form on the wire is logged, delivered here, and makes others read again', async () => {
  const network = new Network();
  const one = await join(network);
  const two = await join(network);
  await until('both', () => two.bus.servers().length === 1);
  const own: unknown[] = [];
  one.bus.subscribe('test', 'odd', (payload) => own.push(payload));
  const circle: Record<string, unknown> = {};
  circle['self'] = circle;
  one.bus.publish('odd', circle);
  one.bus.publish('odd', 5n);
  one.bus.publish('odd', 'x'.repeat(9 * 1024 * 1024));
  await until('read again', () => two.rereads > 0);
  assert.is(own.length, 3);
  assert.is(lines(one, /no form|too large/), 3);
});

test('a listener that throws hurts no other listener', async () => {
  const network = new Network();
  const one = await join(network);
  const two = await join(network);
  await until('both', () => two.bus.servers().length === 1);
  let after = 0;
  two.bus.subscribe('test', 'boom', () => {
    throw new Error('boom');
  });
  two.bus.subscribe('test', 'boom', () => {
    after++;
  });
  one.bus.publish('boom', null);
  await until('the second listener', () => after === 1);
  assert.is(lines(two, /listener failed/), 1);
});

test('a server that stops is gone for the others at once, and they need not read again', async () => {
  const network = new Network();
  const one = await join(network);
  const two = await join(network);
  await until('both', () => one.bus.servers().length === 1);
  one.bus.send(two.bus.id, 't', 0);
  const beats = () => network.frames.filter((sent) => isBeatOf(one, sent));
  await until('the number', () => beats().at(-1)?.text.includes(two.bus.id));
  await two.close();
  await until('gone', () => one.bus.servers().length === 0);
  assert.is(one.bus.send(two.bus.id, 't', 1), false);
  network.frames.length = 0;
  await until('the next beat', () => beats().length > 0);
  assert.not.match(beats()[0]!.text, two.bus.id);
  assert.is(one.rereads, 0);
});

test('a server that slept is dead for the others, which read again; both join anew when it wakes', async () => {
  const network = new Network();
  const one = await join(network);
  const two = await join(network);
  await until('both', () => one.bus.servers().length === 1 && two.bus.servers().length === 1);
  two.bus.watch('test', ({ kind }) => kind === 'joined' && two.bus.publish('t', 'all I have'));
  network.asleep = two.bus.id;
  await until('dead', () => one.events.includes('left'));
  assert.is(one.rereads, 1);
  network.asleep = undefined;
  await until('told anew', () => one.got.includes('all I have'));
  await until('joined', () => one.events.filter((kind) => kind === 'joined').length === 2);
  await pause(1_200);
  assert.equal(one.events, ['joined', 'left', 'joined']);
  assert.equal(two.events, ['joined', 'joined']);
});

test.run();
