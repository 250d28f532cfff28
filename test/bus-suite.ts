import { randomBytes } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { Type, topic } from '@svc/plugin-sdk';
import * as assert from 'uvu/assert';
import { acquainted, type BusProbe, Probe, until } from './bus-kit.ts';

/** Three servers on one transport. */
export type Three = readonly [BusProbe, BusProbe, BusProbe];

const KB = 1024;
const numbers = (count: number) => Array.from({ length: count }, (_, n) => n);
const payloads = ({ heard }: BusProbe) => heard.map(({ payload }) => payload);
const shape = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64');

/** What holds on every transport. The three servers live as long as the suite. */
export function busCases(
  test: (name: string, body: () => Promise<void>) => void,
  servers: () => Three,
): void {
  let cases = 0;
  /** Nothing of the case before is on its way any more: what a server sends arrives in order. */
  const fresh = async (): Promise<Three> => {
    const three = servers();
    await acquainted(three);
    const last = `the last before case ${++cases}`;
    for (const { kernel } of three) kernel.publish(Probe, last);
    for (const { heard } of three) {
      await until('the last', () => heard.filter(({ payload }) => payload === last).length === 3);
    }
    for (const { heard, events } of three) {
      heard.length = 0;
      events.length = 0;
    }
    return three;
  };

  test('three servers know each other, by server_uuid and version', async () => {
    const three = await fresh();
    await acquainted(three);
    const [one, two] = three;
    const seen = one.bus.servers().find(({ id }) => id === two.bus.id);
    assert.equal(seen, {
      id: two.bus.id,
      uuid: two.kernel.server.uuid(),
      version: two.kernel.server.version,
    });
  });

  test('a message reaches every server once, and says whose it is', async () => {
    const three = await fresh();
    three[0].kernel.publish(Probe, { n: 1 });
    await until('all three', () => three.every(({ heard }) => heard.length > 0));
    await pause(50);
    for (const server of three) {
      const id = three[0].bus.id;
      assert.equal(server.heard, [{ payload: { n: 1 }, own: server === three[0], id }]);
    }
  });

  test('a direct message reaches one server only, also oneself', async () => {
    const three = await fresh();
    const [one, two, third] = three;
    assert.is(one.bus.send(two.bus.id, Probe, 'to two'), true);
    assert.is(one.bus.send(one.bus.id, Probe, 'to myself'), true);
    assert.is(one.bus.send('00000000-0000-0000-0000-000000000000', Probe, 'lost'), false);
    await until('both', () => two.heard.length === 1 && one.heard.length === 1);
    await pause(50);
    assert.equal(payloads(two), ['to two']);
    assert.equal(one.heard, [{ payload: 'to myself', own: true, id: one.bus.id }]);
    assert.equal(third.heard, []);
  });

  test('5,000 messages of each of two senders arrive complete and in order, whatever their sizes', async () => {
    const three = await fresh();
    const [one, two, third] = three;
    const filler = 'ä'.repeat(20 * KB);
    for (const n of numbers(5_000)) {
      const payload = n % 500 === 0 ? { n, filler } : { n };
      for (const sender of [one, two]) sender.kernel.publish(Probe, payload);
      if (n % 250 === 0) await pause(1);
    }
    await until('10,000 messages', () => third.heard.length >= 10_000);
    for (const { bus } of [one, two]) {
      const from = third.heard.filter(({ id }) => id === bus.id);
      assert.equal(
        from.map(({ payload }) => payload.n),
        numbers(5_000),
      );
      assert.ok(from.filter(({ payload }) => payload.filler === filler).length === 10);
    }
    assert.equal(third.events, []);
  });

  test('direct bytes of all sizes up to 5 MB arrive as they were, in order', async () => {
    const [one, two] = await fresh();
    const sizes = [0, 1, 5_000, 7_900, 8_000, 70 * KB, 1_100 * KB, 5_000 * KB, 3];
    const sent = sizes.map((size) => ({ size, bytes: randomBytes(size) }));
    for (const payload of sent) {
      assert.is(one.bus.send(two.bus.id, Probe, payload), true);
      await one.bus.drained(two.bus.id);
    }
    await until('all', () => two.heard.length === sizes.length);
    for (const [at, { payload }] of two.heard.entries()) {
      assert.is(payload.size, sizes[at]);
      assert.is(shape(payload.bytes), shape(sent[at]!.bytes));
    }
    await pause(300);
    assert.equal(two.events, []);
  });

  test('a large message to all servers reaches all', async () => {
    const three = await fresh();
    const text = randomBytes(1_500 * KB).toString('hex');
    three[0].kernel.publish(Probe, text);
    three[0].kernel.publish(Probe, 'behind');
    await until('both', () => three.every(({ heard }) => heard.length === 2));
    for (const server of three) assert.ok(payloads(server)[0] === text);
    assert.equal(
      three.flatMap(({ events }) => events),
      [],
    );
  });

  test('an unknown topic does no harm', async () => {
    const [one, two] = await fresh();
    one.kernel.publish(topic('of a later version', Type.Unknown()), { anything: [1] });
    one.kernel.publish(Probe, 'after it');
    await until('the next', () => two.heard.length === 1);
    assert.equal(two.events, []);
  });

  test('a listener that is slow holds its own server up and loses nothing', async () => {
    const [one, two] = await fresh();
    const slow = two.kernel.subscribe(Probe, () => {
      for (const end = performance.now() + 2; performance.now() < end; );
    });
    try {
      const before = process.memoryUsage().arrayBuffers;
      for (const n of numbers(400)) {
        one.bus.send(two.bus.id, Probe, { n, bytes: randomBytes(8 * KB) });
        await one.bus.drained(two.bus.id);
      }
      await until('all', () => two.heard.length === 400);
      assert.equal(
        payloads(two).map(({ n }) => n),
        numbers(400),
      );
      const grown = process.memoryUsage().arrayBuffers - before;
      assert.ok(grown < 64 * KB * KB, `${grown} bytes`);
    } finally {
      slow();
    }
  });
}
