// Maintenance windows over changes of clocks, whatever the zone of the machine is (plugins/alert/src/windows/times.ts).

import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { RpcError } from '@svc/plugin-sdk';
import * as assert from 'uvu/assert';
import { quietUntil } from '../../plugins/alert/src/policies/quiet.ts';
import { contentOf } from '../../plugins/alert/src/windows/content.ts';
import { Schedule } from '../../plugins/alert/src/windows/times.ts';
import { suite } from '../runner/suite.ts';

const test = suite('alert: times of windows');
const NONE = { once_from: null, once_to: null };
const at = (text: string): number => Date.parse(`${text}Z`);
const repeated = (cron: string, hours: number, zone: string) => ({
  ...{ ...NONE, cron, duration_s: hours * 3_600, zone },
});

const CASES = [
  [
    'daily 02:30 in Berlin, the night of summer time has no 02:30: from 03:00 on',
    [repeated('30 2 * * *', 1, 'Europe/Berlin'), '2026-03-28T12:00', '2026-03-30T12:00'],
    [
      ['2026-03-29T01:00', '2026-03-29T02:00'],
      ['2026-03-30T00:30', '2026-03-30T01:30'],
    ],
  ],
  [
    'the same in the night that has two 02:30: once, from the first, an hour long',
    [repeated('30 2 * * *', 1, 'Europe/Berlin'), '2026-10-24T12:00', '2026-10-26T12:00'],
    [
      ['2026-10-25T00:30', '2026-10-25T01:30'],
      ['2026-10-26T01:30', '2026-10-26T02:30'],
    ],
  ],
  [
    'Saturdays 23:00 for four hours in New York, over the end of summer time',
    [repeated('0 23 * * 6', 4, 'America/New_York'), '2026-10-30T00:00', '2026-11-09T00:00'],
    [
      ['2026-11-01T03:00', '2026-11-01T07:00'],
      ['2026-11-08T04:00', '2026-11-08T08:00'],
    ],
  ],
  [
    'begins that overlap are one range',
    [repeated('0 */2 * * *', 3, 'UTC'), '2026-01-01T00:30', '2026-01-01T06:00'],
    [['2025-12-31T22:00', '2026-01-01T07:00']],
  ],
  [
    'once, in instants',
    [
      {
        ...{ once_from: at('2026-05-01T10:00'), once_to: at('2026-05-01T11:00') },
        ...{ cron: null, duration_s: null, zone: 'UTC' },
      },
      '2026-05-01T10:30',
      '2026-06-01T00:00',
    ],
    [['2026-05-01T10:00', '2026-05-01T11:00']],
  ],
] as const;

const expected = CASES.map(([, , ranges]) => ranges.map((range) => range.map(at)));

for (const zone of ['Asia/Shanghai', 'UTC', 'America/St_Johns']) {
  test(`windows come out the same on a machine in ${zone}`, async () => {
    const child = join(import.meta.dirname, 'window-times-child.ts');
    const answer = new Promise<string>((resolve, reject) => {
      const env = { ...process.env, TZ: zone };
      const run = execFile(process.execPath, [child], { env, timeout: 60_000 }, (error, out) =>
        error ? reject(error) : resolve(out),
      );
      const asked = CASES.map(([, [window, from, to]]) => [window, at(from), at(to)]);
      run.stdin?.end(JSON.stringify(asked));
    });
    const got: unknown[] = JSON.parse(await answer);
    for (const [place, [name]] of CASES.entries()) assert.equal(got[place], expected[place], name);
  });
}

test('a window holds from its begin until before its end, and says what comes next', () => {
  const schedule = new Schedule(repeated('30 2 * * *', 1, 'Europe/Berlin'));
  const [from, to] = [at('2026-03-29T01:00'), at('2026-03-29T02:00')];
  for (const now of [from - 1, from, to - 1])
    assert.equal(schedule.ranges(now, 1), [[from, to]], `${now}`);
  assert.ok(schedule.ranges(to, 1)[0]![0] > to);
  assert.is(schedule.ranges(from).length, 5);
});

const refused = (given: object, words: RegExp) => {
  try {
    contentOf(
      { name: 'w', scope: { tags: ['a'] }, ...given },
      { owner: null, now: Date.UTC(2026, 0, 1) },
    );
  } catch (error) {
    assert.instance(error, RpcError);
    assert.match((error as RpcError).message, words);
    return;
  }
  throw new Error(`not refused: ${JSON.stringify(given)}`);
};

test('what is no window is refused in words', () => {
  for (const [given, words] of [
    [{}, /give once with from and to, or cron with duration_s/],
    [{ cron: '0 0 * * *' }, /give once .* or cron with duration_s/],
    [{ once: { from: 1, to: 2 }, cron: '0 0 * * *', duration_s: 60 }, /give once/],
    [{ once: { from: 2, to: 2 } }, /later than once.from/],
    [{ cron: '0 0 * *', duration_s: 60 }, /five fields .*it has 4/],
    [{ cron: '@daily', duration_s: 60 }, /five fields/],
    [
      { cron: '61 0 * * *', duration_s: 60 },
      /minute '61' of '61 0 \* \* \*' is not between 0 and 59/,
    ],
    [{ cron: '0 0 30 2 *', duration_s: 60 }, /never comes/],
    [{ cron: '0 0 30,31W feb *', duration_s: 60 }, /never comes/],
    [{ cron: '0 0 31 4-6/2,11 ?', duration_s: 60 }, /never comes/],
    [{ cron: '0 0 20 * +1#1', duration_s: 60 }, /begins with no \+/],
    [{ cron: '0 0 * 2 0#5', duration_s: 60 }, /within five years/],
    [{ cron: '0 0 * * *', duration_s: 60, zone: 'Mars/Base' }, /'Mars\/Base' is no time zone/],
  ] as const)
    refused(given, words);
});

test('what is wrong in a cron line is said in plain words, with its field', () => {
  for (const [cron, words] of [
    [
      '0 2 * * 1-5,',
      /day-of-week '1-5,' of '0 2 \* \* 1-5,' has an empty item: take out the comma/,
    ],
    ['0 25 * * *', /hour '25' of '0 25 .*' is not between 0 and 23/],
    ['0 2 0 * *', /day-of-month '0' of .* is not between 1 and 31/],
    ['0 2 32W * *', /day-of-month '32W' of .* is not between 1 and 31/],
    ['0 2 * 13 *', /month '13' of .* is not between 1 and 12, nor one of jan, feb/],
    ['0 2 * * 8', /day-of-week '8' of .* is not between 0 and 7, nor one of sun, mon/],
    ['0 2 * * monday', /day-of-week 'monday' of .* is not understood: write 1, 1-5, mon/],
    ['0 2 * * tum', /day-of-week 'tum' of .* is not understood: write/],
    ['5/15 2 * * *', /minute '5\/15' of .* has a step without a range: write 5-59\/15/],
    ['*/0 2 * * *', /minute '\*\/0' of .* has a step that is not between 1 and 60/],
    ['0 5-2 * * *', /hour '5-2' of .* has a range that does not ascend/],
    ['0 2,x * * *', /hour '2,x' of .*: 'x' is not understood: write 2, 2-4 or \*\/2/],
    ['0 2 LW,LW * *', /'0 2 LW,LW \* \*' is not understood: write minute like 30/],
  ] as const)
    refused({ cron, duration_s: 60 }, words);
});

const BERLIN = 'Europe/Berlin';
/** Begins over a change of clocks: line without days, zone, time after which they are asked for, and the first of them in UTC. */
const CHANGES: [line: string, zone: string, after: string, begins: string][] = [
  // Clocks leave a time out.
  ['30 2', BERLIN, '2027-03-27T12:00', '03-28T01:00 03-29T00:30'],
  ['0,30 2', BERLIN, '2027-03-27T12:00', '03-28T01:00 03-29T00:00 03-29T00:30'],
  ['*/20 2', BERLIN, '2027-03-27T12:00', '03-28T01:00 03-29T00:00 03-29T00:20'],
  ['0 2,3', BERLIN, '2027-03-27T12:00', '03-28T01:00 03-29T00:00 03-29T01:00'],
  ['30 1-3', BERLIN, '2027-03-27T12:00', '03-28T00:30 03-28T01:00 03-28T01:30 03-28T23:30'],
  ['0 */2', BERLIN, '2027-03-27T22:30', '03-27T23:00 03-28T01:00 03-28T02:00 03-28T04:00'],
  ['30 23', 'America/Nuuk', '2027-03-27T12:00', '03-28T01:00 03-29T00:30'],
  ['0,30 0', 'America/Havana', '2027-03-13T12:00', '03-14T05:00 03-15T04:00 03-15T04:30'],
  ['0,30 0', 'Asia/Beirut', '2027-03-27T12:00', '03-27T22:00 03-28T21:00 03-28T21:30'],
  ['0,30 0', 'Africa/Cairo', '2027-04-29T12:00', '04-29T22:00 04-30T21:00 04-30T21:30'],
  ['0,30 0', 'America/Santiago', '2027-09-04T12:00', '09-05T04:00 09-06T03:00 09-06T03:30'],
  ['0,15 2', 'Australia/Lord_Howe', '2026-10-03T00:00', '10-03T15:30 10-04T15:00 10-04T15:15'],
  // A whole day.
  ['0 6,12', 'Pacific/Apia', '2011-12-29T12:00', '12-29T16:00 12-29T22:00 12-30T10:00 12-30T16:00'],
  // Clocks show a time twice.
  ['30 2', BERLIN, '2026-10-24T12:00', '10-25T00:30 10-26T01:30'],
  ['0 2,4', BERLIN, '2026-10-24T12:00', '10-25T00:00 10-25T03:00 10-26T01:00'],
  ['0 2-4', BERLIN, '2026-10-24T12:00', '10-25T00:00 10-25T02:00 10-25T03:00 10-26T01:00'],
  ['0,30 2', BERLIN, '2026-10-24T12:00', '10-25T00:00 10-25T00:30 10-26T01:00'],
  ['0 */2', BERLIN, '2026-10-24T23:00', '10-25T00:00 10-25T03:00 10-25T05:00'],
  ['30 2', BERLIN, '2026-10-25T00:30', '10-26T01:30'],
  ['*/15 1', 'Australia/Lord_Howe', '2027-04-03T14:20', '04-03T14:30 04-03T14:45 04-04T14:30'],
  ['0,30 0', 'America/Havana', '2026-10-31T12:00', '11-01T04:00 11-01T04:30 11-02T05:00'],
  ['30 23', 'Asia/Beirut', '2026-10-24T12:00', '10-24T20:30 10-25T21:30'],
  ['30 23', 'Africa/Cairo', '2026-10-29T12:00', '10-29T20:30 10-30T21:30'],
  ['30 23', 'America/Santiago', '2027-04-03T12:00', '04-04T02:30 04-05T03:30'],
  // Every hour: by real time.
  ['0 *', BERLIN, '2027-03-27T23:30', '03-28T00:00 03-28T01:00 03-28T02:00'],
  ['30 *', BERLIN, '2027-03-27T23:45', '03-28T00:30 03-28T01:30 03-28T02:30'],
  ['0 *', BERLIN, '2026-10-24T23:30', '10-25T00:00 10-25T01:00 10-25T02:00'],
  ['*/15 *', BERLIN, '2026-10-25T00:30', '10-25T00:45 10-25T01:00 10-25T01:15'],
  ['*/15 *', BERLIN, '2027-03-28T00:30', '03-28T00:45 03-28T01:00 03-28T01:15'],
  ['*/15 0-23', 'Australia/Lord_Howe', '2027-04-03T14:40', '04-03T14:45 04-03T15:00 04-03T15:15'],
  ['*/15 */1', 'Australia/Lord_Howe', '2026-10-03T15:10', '10-03T15:15 10-03T15:30 10-03T15:45'],
];
for (const [line, zone, after, begins] of CHANGES)
  test(`${line} * * * in ${zone} after ${after}`, () => {
    const wanted = begins.split(' ');
    const schedule = new Schedule({ ...repeated(`${line} * * *`, 0, zone), duration_s: 0 });
    const got = schedule.ranges(at(after), wanted.length);
    assert.equal(
      got.map(([from]) => new Date(from).toISOString().slice(5, 16)),
      wanted,
    );
  });

test('a line for every hour on one day a year is found over the years', () => {
  const schedule = new Schedule(repeated('0 * 28 3 *', 1, BERLIN));
  const got = schedule.ranges(at('2027-03-27T22:30'), 24).map(([from]) => from);
  assert.equal(
    [0, 1, 2, 22, 23].map((place) => new Date(got[place] ?? 0).toISOString().slice(0, 16)),
    [
      '2027-03-27T23:00',
      '2027-03-28T00:00',
      '2027-03-28T01:00',
      '2027-03-28T21:00',
      '2028-03-27T22:00',
    ],
  );
});

test('days that are rare are no reason to refuse a window', () => {
  for (const cron of [
    '0 0 29 2 *',
    '0 0 31 4,5 *',
    '0 0 L 2 *',
    '0 0 15W * *',
    '0 0 * * mon-sun',
    '0 0 * * 5L,1#2',
    '0 0 31 2 1',
    '0 0 */31 2 *',
  ]) {
    const given = { name: 'w', scope: { tags: ['a'] }, cron, duration_s: 60 };
    const content = contentOf(given, { owner: null, now: Date.UTC(2026, 0, 1) });
    assert.ok(new Schedule(content).ranges(Date.UTC(2026, 0, 1)).length > 0, cron);
  }
});

test('a range with too many begins is refused instead of being counted', async () => {
  const schedule = new Schedule(repeated('* * * * *', 1, 'UTC'));
  let message = '';
  await schedule.between(0, 62 * 86_400_000).catch((error: Error) => {
    message = error.message;
  });
  assert.match(message, /more than 2000 times/);
});

test('quiet hours end on the clock of their zone, over midnight and changes of clocks too', () => {
  const night = { from: '22:00', to: '07:00', zone: 'Europe/Berlin' };
  for (const [now, until] of [
    ['2026-01-15T20:59', undefined],
    ['2026-01-15T21:00', '2026-01-16T06:00'],
    ['2026-01-16T05:59', '2026-01-16T06:00'],
    ['2026-01-16T06:00', undefined],
    // The night of summer time is an hour shorter, that of winter time an hour longer.
    ['2026-03-28T22:00', '2026-03-29T05:00'],
    ['2026-10-24T21:00', '2026-10-25T06:00'],
  ] as const) {
    assert.is(quietUntil(night, at(now)), until && at(until), now);
  }
  assert.is(quietUntil(null, 0), undefined);
  const day = { from: '09:00', to: '17:00', zone: 'Asia/Kolkata' };
  assert.is(quietUntil(day, at('2026-01-15T03:30')), at('2026-01-15T11:30'));
});

test.run();
