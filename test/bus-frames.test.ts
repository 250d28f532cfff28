/** The form of the bus's frames, and what their numbers say: no frame twice, no loss unnoticed. */
import fc from 'fast-check';
import * as assert from 'uvu/assert';
import {
  decodeFrame,
  encodeFrame,
  encodeHeartbeat,
  encodeMessage,
  type Frame,
  type Heartbeat,
} from '../plugins/bus/src/frame.ts';
import { DEAD_MS, OtherServers } from '../plugins/bus/src/other-servers.ts';
import { suite } from './runner/suite.ts';

const test = suite('bus frames');

const ME = 'me';
const OTHER = 'other';

const roundTrip = (topic: string, payload: unknown) =>
  decodeFrame(
    encodeFrame({ from: OTHER, to: undefined, number: 1 }, [encodeMessage(topic, payload)]),
  )?.messages[0];

test('a message of JSON arrives as it was', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), fc.jsonValue(), (topic, payload) => {
      const sent = JSON.parse(JSON.stringify({ topic, payload }));
      assert.equal(roundTrip(sent.topic, sent.payload), sent);
    }),
  );
});

test('bytes arrive as they were, alone and as members beside other values', () => {
  fc.assert(
    fc.property(fc.uint8Array(), fc.jsonValue(), (bytes, value) => {
      const alone = roundTrip('t', bytes)?.payload as Uint8Array;
      assert.equal([...alone], [...bytes]);
      const beside = roundTrip('t', { bytes, value, also: bytes.subarray(1) })?.payload as any;
      assert.equal([...beside.bytes], [...bytes]);
      assert.equal([...beside.also], [...bytes.subarray(1)]);
      assert.equal(beside.value, JSON.parse(JSON.stringify(value)));
    }),
  );
});

test('any text is a frame or none, and never an exception', () => {
  const texts = fc.oneof(
    fc.string(),
    fc.json(),
    fc
      .record(
        {
          v: fc.oneof(fc.constant(1), fc.anything()),
          from: fc.oneof(fc.string(), fc.anything()),
          to: fc.oneof(fc.constant(undefined), fc.string(), fc.anything()),
          n: fc.oneof(fc.nat(), fc.anything()),
          m: fc.oneof(fc.array(fc.array(fc.jsonValue())), fc.jsonValue()),
          beat: fc.oneof(fc.dictionary(fc.string(), fc.jsonValue()), fc.jsonValue()),
        },
        { requiredKeys: ['v', 'from', 'n'] },
      )
      .map((record) =>
        JSON.stringify(record, (_, value) => (typeof value === 'bigint' ? 0 : value)),
      ),
  );
  let frames = 0;
  fc.assert(
    fc.property(texts, (text) => {
      const frame = decodeFrame(text ?? '');
      if (!frame) return;
      frames++;
      const { told } = listening();
      for (const now of [0, 10_000]) told.others.receive(frame, now);
      told.others.findDead(20_000);
    }),
    { numRuns: 2_000 },
  );
  assert.ok(frames > 10, `${frames} frames were among them`);
});

test('frames of another version, and what a later one may add, do no harm', () => {
  assert.is(decodeFrame('{"v":2,"from":"x","n":1,"m":[["t",1]]}'), undefined);
  const later = '{"v":1,"from":"x","n":1,"new":{},"m":[["t",1,["a"],"more"],{"other":1},[5],[]]}';
  assert.equal(decodeFrame(later)?.messages, [{ topic: 't', payload: 1 }]);
});

test('heartbeats are read and written in the form of 0.6.0, so that servers of both versions hear each other', () => {
  const text =
    '{"v":1,"from":"x","n":3,"beat":{"uuid":"u","version":"0.6.0","direct":{"me":2},"bye":false,"mourned":{"me":1}}}';
  const heartbeat: Heartbeat = {
    uuid: 'u',
    version: '0.6.0',
    direct: { me: 2 },
    countedDead: { me: 1 },
    bye: false,
  };
  assert.equal(decodeFrame(text), { from: 'x', to: undefined, number: 3, messages: [], heartbeat });
  assert.equal(JSON.parse(encodeHeartbeat('x', 3, heartbeat)), JSON.parse(text));
  const frame = encodeFrame({ from: 'x', to: 'me', number: 4 }, [encodeMessage('t', 1)]);
  assert.is(frame, '{"v":1,"from":"x","to":"me","n":4,"m":[["t",1]]}');
});

/** A receiver that has been connected for long, and what it was told. */
function listening() {
  const told = {
    got: [] as unknown[],
    gaps: [] as boolean[],
    events: [] as string[],
    greeted: 0,
    others: new OtherServers({
      id: ME,
      event: (event) => {
        if (event.kind === 'gap') told.gaps.push(event.direct);
        else told.events.push(event.kind);
      },
      deliver: ({ payload }) => told.got.push(payload),
      died: () => told.events.push('died'),
      met: () => {
        told.greeted++;
      },
      forgotten: () => {},
    }),
  };
  return { told };
}

const frame = (n: number, to?: string): Frame => ({
  from: OTHER,
  to,
  number: n,
  messages: [{ topic: 't', payload: n }],
  heartbeat: undefined,
});
const beat = (n: number, more: Partial<Heartbeat> = {}): Frame => ({
  from: OTHER,
  to: undefined,
  number: n,
  messages: [],
  heartbeat: { uuid: 'u', version: '1.0.0', direct: {}, countedDead: {}, bye: false, ...more },
});

test('whatever a network does to a stream: nothing twice, order kept, and each loss told at the next beat', () => {
  const fates = fc.array(fc.constantFrom('pass', 'pass', 'pass', 'lose', 'double', 'late'), {
    maxLength: 40,
  });
  fc.assert(
    fc.property(fates, fc.boolean(), (fate, direct) => {
      const { told } = listening();
      const to = direct ? ME : undefined;
      const late: Frame[] = [];
      fate.forEach((what, index) => {
        const sent = frame(index + 1, to);
        if (what === 'late') late.push(sent);
        else if (what !== 'lose')
          for (const held of [sent, ...late.splice(0)]) told.others.receive(held, 0);
        if (what === 'double') told.others.receive(sent, 0);
      });
      const last = fate.length;
      told.others.receive(direct ? beat(0, { direct: { [ME]: last } }) : beat(last), 0);
      const got = told.got as number[];
      assert.equal(
        got,
        [...new Set(got)].sort((a, b) => a - b),
      );
      const complete = got.length === last;
      assert.is(told.gaps.length === 0, complete, JSON.stringify({ fate, got, gaps: told.gaps }));
      assert.ok(told.gaps.every((gap) => gap === direct));
    }),
  );
});

test('a beat without anything new tells no gap', () => {
  const { told } = listening();
  for (const n of [1, 2]) told.others.receive(frame(n), 0);
  for (const now of [1_000, 2_000]) told.others.receive(beat(2), now);
  assert.equal(told.gaps, []);
});

test('right after the own start others may be at any number, later only at the first', () => {
  const first = listening().told;
  first.others.connected(0);
  first.others.receive(beat(700), 1_000);
  first.others.receive(frame(701), 1_100);
  assert.equal([first.gaps, first.got], [[], [701]]);
  const late = listening().told;
  late.others.connected(0);
  late.others.receive(frame(3), 5_000);
  assert.equal([late.gaps, late.got], [[false], [3]]);
  const fresh = listening().told;
  fresh.others.connected(0);
  fresh.others.receive(beat(0), 5_000);
  fresh.others.receive(frame(1), 5_000);
  assert.equal([fresh.gaps, fresh.got], [[], [1]]);
});

test('frames to others and the own ones are nothing', () => {
  const { told } = listening();
  told.others.receive(frame(1, 'third'), 0);
  told.others.receive({ ...frame(1), from: ME }, 0);
  assert.equal([told.got, told.gaps, told.events, told.greeted], [[], [], [], 0]);
});

test('a server joins with its first beat, is greeted, leaves after three silent seconds, and comes back with its numbers', () => {
  const { told } = listening();
  told.others.receive(beat(0), 0);
  assert.equal([told.events, told.greeted], [['joined'], 1]);
  told.others.receive(frame(1), 1_000);
  told.others.findDead(1_000 + DEAD_MS);
  assert.ok(told.others.isAlive(OTHER));
  told.others.findDead(1_001 + DEAD_MS);
  assert.equal([told.events, told.others.alive], [['joined', 'left', 'died'], []]);
  assert.equal(told.others.countedDead, {});
  told.others.receive(frame(3), 9_000);
  assert.equal(told.others.countedDead, { [OTHER]: 1 });
  told.others.receive(beat(3), 9_000);
  assert.equal(
    [told.events, told.gaps, told.got],
    [['joined', 'left', 'died', 'joined'], [false], [1, 3]],
  );
});

test('a server that has counted this one as dead joins anew, each time once', () => {
  const { told } = listening();
  told.others.receive(beat(0), 0);
  for (const times of [1, 1, 2, 2]) {
    told.others.receive(beat(0, { countedDead: { [ME]: times, [OTHER]: 9 } }), 10);
  }
  assert.equal(told.events, ['joined', 'joined', 'joined']);
  assert.is(told.others.alive.length, 1);
});

test('a goodbye ends a server at once, and a stranger’s is nothing', () => {
  const { told } = listening();
  told.others.receive(beat(0), 0);
  told.others.receive(beat(0, { bye: true }), 10);
  told.others.receive({ ...beat(0, { bye: true }), from: 'stranger' }, 20);
  assert.equal([told.events, told.others.alive], [['joined', 'left'], []]);
});

test('no server counts as dead while this process could not hear', () => {
  const { told } = listening();
  told.others.receive(beat(0), 0);
  told.others.forgiveSilence(60_000, 59_000);
  told.others.findDead(59_000 + DEAD_MS);
  assert.equal(told.events, ['joined']);
  told.others.findDead(59_001 + DEAD_MS);
  assert.equal(told.events, ['joined', 'left', 'died']);
});

test.run();
