// proof: 90
// Every list, record and text of every method, grown: no caller takes the main thread for long.
import { tellsThreadTime } from '@svc/plugin-sdk/util';
import * as assert from 'uvu/assert';
import { loop } from '../runner/proof.ts';
import { suite } from '../runner/suite.ts';
import { type Cost, type Method, Server } from './child.ts';
import { type Growth, growthsOf, sample } from './values.ts';

const KB = 1024;
/** Milliseconds of the main thread that a call may take beyond what reading its message takes. */
const MOST_MS = 30;
const TIMES = 3;
/** From here on it is looked at how a cost grows: beyond its size it may by a third, for n log n, and by what measuring loses. */
const SLOW_MS = 100;
const MOST_GROWTH = 2.5;
/** From here on a cost is more than noise, and is looked at with longer messages. */
const SEEN_MS = 4;
/** What goes on growing is looked at up to the largest message. */
const SIZES = [24 * KB, 240 * KB, 2_000 * KB, 10_000 * KB];
/** Lists are looked at once more although the shortest of them took no time. */
const LOOKS = { text: 1, list: loop(1, 2) };

interface Case {
  readonly name: string;
  /** Nothing longer is read without a valid credential. */
  readonly sizes: readonly number[];
  readonly looks: number;
  /** The call, and one that only reads the same parameters. */
  texts(bytes: number): { readonly call: string; readonly read: string };
}

const callText = (method: string, params: unknown) =>
  JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });

function caseOf(
  method: Method,
  key: string,
  growth: Growth,
  [caller, token]: readonly [string, string],
): Case {
  const { name, credential, params, shown } = method;
  const base = Object.fromEntries(
    Object.entries(params)
      .filter(([one, schema]) => one in shown || !('~optional' in schema))
      .map(([one, schema]) => [one, shown[one] ?? sample(schema)]),
  );
  const own = credential === undefined ? {} : { [credential]: token };
  return {
    name: `${name} ${growth.name}, by ${caller}`,
    sizes: caller === 'a stranger' ? SIZES.slice(0, 2) : SIZES,
    looks: LOOKS[growth.isText ? 'text' : 'list'],
    texts: (bytes) => {
      const given = { ...base, [key]: growth.make(bytes) };
      return {
        call: callText(name, { ...own, ...given }),
        read: callText('growth_take', { token, value: given }),
      };
    },
  };
}

/** What reads or checks parameters before it knows the caller's rights is open to all. */
const isOpen = ({ access }: Method) => access !== 'needs' && access !== 'super';

function* casesOf(
  { methods, tokens }: Server['told'],
  isMeant: (name: string) => boolean,
): Generator<Case> {
  const callers: [string, string][] = [
    ['a stranger', 'aaaa:bbbb'],
    ['an expired token', tokens['expired'] as string],
    ['a token without rights', tokens['ordinary'] as string],
    ['the Super Token', tokens['super'] as string],
  ];
  for (const method of methods) {
    if (!isMeant(method.name)) continue;
    for (const [key, schema] of Object.entries(method.params))
      for (const growth of growthsOf(schema, key))
        for (const caller of callers)
          if (caller[0] === 'the Super Token' || loop(false, isOpen(method)))
            yield caseOf(method, key, growth, caller);
  }
}

const NOTHING: Cost = { longest: 0, together: 0 };

/** The least of some measurements: nothing makes work shorter than it is. Work in slices counts by its longest one. */
async function beyondReading(server: Server, { texts }: Case, bytes: number): Promise<Cost> {
  const { call, read } = texts(bytes);
  let cost = { longest: Number.POSITIVE_INFINITY, together: Number.POSITIVE_INFINITY };
  for (let n = 0; n < TIMES; n++) {
    const one = await server.cost(call);
    if (one.together < SEEN_MS) return NOTHING;
    const reading = await server.cost(read);
    cost = {
      longest: Math.min(cost.longest, one.longest - reading.longest),
      together: Math.min(cost.together, one.together - reading.together),
    };
    // What is small beside the reading is lost in how that varies.
    if (cost.together < SEEN_MS + reading.together / 4) return NOTHING;
  }
  return cost;
}

/** @returns what is wrong with the case; undefined: nothing */
async function faultOf(server: Server, one: Case): Promise<string | undefined> {
  let before = { bytes: 0, together: 0 };
  for (const [index, bytes] of one.sizes.entries()) {
    const { longest, together } = await beyondReading(server, one, bytes);
    const [took, size] = [
      `${Math.round(longest)} of ${Math.round(together)} ms`,
      `${bytes / KB} KB`,
    ];
    if (longest > MOST_MS) return `${one.name}: ${took} in one turn for ${size}`;
    if (together < SEEN_MS && index + 1 >= one.looks) break;
    const growth = together / before.together / (bytes / before.bytes);
    if (before.together > SEEN_MS && together > SLOW_MS && growth > MOST_GROWTH)
      return `${one.name}: ${took} for ${size}, ${Math.round(before.together)} ms for ${before.bytes / KB} KB`;
    before = { bytes, together };
  }
  return undefined;
}

/** What is wrong with the cases of the methods that `isMeant`. */
async function search(
  server: Server,
  isMeant: (name: string) => boolean,
): Promise<{ count: number; faults: string[] }> {
  const faults: string[] = [];
  let count = 0;
  for (const one of casesOf(server.told, isMeant)) {
    count++;
    const fault = await faultOf(server, one);
    if (fault !== undefined) faults.push(fault);
  }
  return { count, faults };
}

const test = suite('growth of calls');
if (!tellsThreadTime) test.skip('this Node does not tell the processor time of one thread');
else {
  let server: Server;
  test.before(async () => {
    server = await Server.start('sqlite');
  });
  test.after(() => server.stop());

  test('work that squares a list or a text is found, and work in line with it is none', async () => {
    const { faults } = await search(
      server,
      (name) => name.startsWith('growth_') && name !== 'growth_take',
    );
    const by = (start: string) => faults.some((fault) => fault.startsWith(start));
    assert.ok(by('growth_of_lists list[]'), String(faults));
    assert.ok(by('growth_of_texts text (text of " ")'), String(faults));
    assert.not(by('growth_in_line'), String(faults));
  });

  test('no list, record or text of a call takes the main thread for more than 30 ms beyond its reading', async () => {
    const { count, faults } = await search(server, (name) => !name.startsWith('growth_'));
    assert.ok(count > 500, `${count} cases`);
    assert.equal(faults, []);
  });
}
test.run();
