// crontab.md §2: which expressions are taken and when they match, and the search for the next time.
import fc from 'fast-check';
import * as assert from 'uvu/assert';
import { CronError, parseCron } from '../../plugins/crontab/src/cron/parse.ts';
import { suite } from '../runner/suite.ts';

const test = suite('crontab: dialect');

/** Unix ms of `2026-11-21 03:31:14`, read as UTC. */
const at = (text: string): number => Date.parse(`${text.replace(' ', 'T')}Z`);
const shown = (time: number | undefined): string =>
  time === undefined ? 'never' : new Date(time).toISOString().slice(0, 19).replace('T', ' ');

/** Saturday. */
const FROM = '2026-11-21 03:31:14';

/** The expression, and its first matches after FROM. */
const matches: readonly (readonly [expression: string, ...times: string[]])[] = [
  ['* * * * * *', '2026-11-21 03:31:15', '2026-11-21 03:31:16'],
  ['0 * * * * *', '2026-11-21 03:32:00', '2026-11-21 03:33:00'],
  ['0/20 * * * * *', '2026-11-21 03:31:20', '2026-11-21 03:31:40', '2026-11-21 03:32:00'],
  ['*/10 * * * * *', '2026-11-21 03:31:20', '2026-11-21 03:31:30'],
  ['14 31 3 * * *', '2026-11-22 03:31:14'],
  ['5/25 * * * * *', '2026-11-21 03:31:30', '2026-11-21 03:31:55', '2026-11-21 03:32:05'],
  ['10-16/3 * * * * *', '2026-11-21 03:31:16', '2026-11-21 03:32:10', '2026-11-21 03:32:13'],
  ['*/59 * * * * *', '2026-11-21 03:31:59', '2026-11-21 03:32:00'],
  ['30,10,30 * * * * *', '2026-11-21 03:31:30', '2026-11-21 03:32:10'],
  ['59-59 59 23 * * *', '2026-11-21 23:59:59', '2026-11-22 23:59:59'],
  // 1 is Sunday.
  ['0 0 0 * * 1', '2026-11-22 00:00:00', '2026-11-29 00:00:00'],
  ['0 0 0 * * 7', '2026-11-28 00:00:00'],
  ['0 0 0 * * 2', '2026-11-23 00:00:00'],
  // 0 is Sunday as well.
  ['0 0 0 * * 0', '2026-11-22 00:00:00', '2026-11-29 00:00:00'],
  ['0 0 0 * * 0,7', '2026-11-22 00:00:00', '2026-11-28 00:00:00'],
  ['0 0 0 * * 0-2', '2026-11-22 00:00:00', '2026-11-23 00:00:00', '2026-11-29 00:00:00'],
  ['0 0 0 * * */2', '2026-11-22 00:00:00', '2026-11-24 00:00:00', '2026-11-26 00:00:00'],
  ['0 0 0 * * sun', '2026-11-22 00:00:00'],
  ['0 0 0 * * SATURDAY', '2026-11-28 00:00:00'],
  ['0 0 0 * * Tues,thurs', '2026-11-24 00:00:00', '2026-11-26 00:00:00'],
  ['0 0 0 * * tue,thu', '2026-11-24 00:00:00', '2026-11-26 00:00:00'],
  ['0 0 0 * * Mon-Wednesday', '2026-11-23 00:00:00', '2026-11-24 00:00:00'],
  ['0 0 0 * * mon-fri/2', '2026-11-23 00:00:00', '2026-11-25 00:00:00', '2026-11-27 00:00:00'],
  ['0 0 0 * * wed-wed', '2026-11-25 00:00:00', '2026-12-02 00:00:00'],
  // Day of month and day of week: both.
  ['0 0 0 13 * fri', '2027-08-13 00:00:00', '2028-10-13 00:00:00'],
  ['0 0 0 ? * ?', '2026-11-22 00:00:00'],
  ['0 0 0 ?/10 * ?/7', '2027-01-31 00:00:00', '2027-02-21 00:00:00'],
  ['0 0 0 */31 * *', '2026-12-01 00:00:00', '2027-01-01 00:00:00'],
  ['0 0 0 31 * *', '2026-12-31 00:00:00', '2027-01-31 00:00:00', '2027-03-31 00:00:00'],
  ['0 0 0 29 2 *', '2028-02-29 00:00:00', '2032-02-29 00:00:00'],
  ['0 0 0 29 feb ? 2090-2100', '2092-02-29 00:00:00', '2096-02-29 00:00:00', 'never'],
  ['0 0 0 1 JAN,september *', '2027-01-01 00:00:00', '2027-09-01 00:00:00'],
  ['0 0 0 1 jun-august *', '2027-06-01 00:00:00', '2027-07-01 00:00:00', '2027-08-01 00:00:00'],
  ['0 0 0 1 5/3 *', '2027-05-01 00:00:00', '2027-08-01 00:00:00', '2027-11-01 00:00:00'],
  // Years.
  ['0 0 0 1 1 * 2030', '2030-01-01 00:00:00', 'never'],
  ['0 0 0 1 1 * 2028/2', '2028-01-01 00:00:00', '2030-01-01 00:00:00'],
  ['0 0 0 1 1 * */2100', 'never'],
  ['0 0 0 1 1 * 1970-2026', 'never'],
  ['59 59 23 31 12 * 2100', '2100-12-31 23:59:59', 'never'],
  ['15 31 3 21 11 7 2026', '2026-11-21 03:31:15', 'never'],
  ['14 31 3 21 11 7 2026', 'never'],
  // Dates that never occur.
  ['0 0 0 30 2 *', 'never'],
  ['0 0 0 31 2,4,6,9,11 *', 'never'],
  ['0 0 0 29 2 * 2100', 'never'],
  ['0 0 0 * * * 2025', 'never'],
  // Shorthands.
  ['@yearly', '2027-01-01 00:00:00', '2028-01-01 00:00:00'],
  ['@monthly', '2026-12-01 00:00:00'],
  ['@weekly', '2026-11-22 00:00:00', '2026-11-29 00:00:00'],
  ['@daily', '2026-11-22 00:00:00'],
  ['@hourly', '2026-11-21 04:00:00', '2026-11-21 05:00:00'],
  [' @daily\n', '2026-11-22 00:00:00'],
  // Blanks.
  ['0*****', '2026-11-21 03:32:00'],
  ['0 0 0 ?*?', '2026-11-22 00:00:00'],
  ['\t0 , 30\r\n* * * * *\n', '2026-11-21 03:31:30', '2026-11-21 03:32:00'],
  ['0 0 0 1 - 3 / 2 * *', '2026-12-01 00:00:00', '2026-12-03 00:00:00'],
  ['0 0 0 * / 31 * *', '2026-12-01 00:00:00'],
  ['0 0 0 * * mon - fri', '2026-11-23 00:00:00'],
  ['0 0 0 1jan*', '2027-01-01 00:00:00'],
  ['0 0 0 1 *mon', '2027-02-01 00:00:00', '2027-03-01 00:00:00'],
  ['00 000 007 * * *', '2026-11-21 07:00:00'],
];

for (const [expression, ...times] of matches) {
  test(`${JSON.stringify(expression)} matches at ${times.join(', ')}`, () => {
    const schedule = parseCron(expression);
    let time: number | undefined = at(FROM);
    for (const expected of times) {
      time = schedule.next(time as number);
      assert.is(shown(time), expected);
    }
  });
}

/** Refused, and the place that the caret marks. */
const refusals: readonly (readonly [expression: string, place: number])[] = [
  ['', 0],
  ['   ', 3],
  ['* * * * *', 9],
  ['0 0 * * 1', 9],
  ['* * * * * * * *', 14],
  ['60 * * * * *', 0],
  ['* 60 * * * *', 2],
  ['* * 24 * * *', 4],
  ['* * * 0 * *', 6],
  ['* * * 32 * *', 6],
  ['* * * * 0 *', 8],
  ['* * * * 13 *', 8],
  ['* * * * * 8', 10],
  ['* * * * * * 1969', 12],
  ['* * * * * * 2101', 12],
  ['-1 * * * * *', 0],
  ['1.5 * * * * *', 1],
  ['99999999999999999999 * * * * *', 0],
  ['*/0 * * * * *', 2],
  ['*/60 * * * * *', 2],
  ['* */60 * * * *', 4],
  ['* * */24 * * *', 6],
  ['* * * */32 * *', 8],
  ['* * * * */13 *', 10],
  ['* * * * * */8', 12],
  ['* * * * * * */2101', 14],
  ['*/ * * * * *', 3],
  ['1/60 * * * * *', 2],
  ['10-5 * * * * *', 0],
  ['* * * * * fri-mon', 10],
  ['* * * * * mon/2', 13],
  ['* * * * mar/2 *', 11],
  ['* * * * * mon-5', 14],
  ['* * * * * 2-fri', 12],
  ['*-5 * * * * *', 1],
  ['*/5/5 * * * * *', 3],
  ['? * * * * *', 0],
  ['* ? * * * *', 2],
  ['* * ? * * *', 4],
  ['* * * * ? *', 8],
  ['* * * * * * ?', 12],
  ['1,,2 * * * * *', 2],
  [',1 * * * * *', 0],
  ['1, * * * * *', 12],
  ['1- * * * * *', 3],
  ['* * * L * *', 6],
  ['* * * 15W * *', 8],
  ['* * * * * 6L', 11],
  ['* * * * * 6#3', 11],
  ['H * * * * *', 0],
  ['* * * * foo *', 8],
  ['* * * * * thur', 13],
  ['jan * * * * *', 0],
  ['* * * * mon *', 8],
  ['@annually', 0],
  ['@midnight', 0],
  ['@reboot', 0],
  ['@every 5s', 0],
  ['@Daily', 0],
  ['@daily *', 0],
  ['* * * * * * 2030 x', 17],
  ['* * * * * *\u00a0', 11],
  ['٣ * * * * *', 0],
  ['0 0 0 * * *;', 11],
];

for (const [expression, place] of refusals) {
  test(`${JSON.stringify(expression)} is refused`, () => {
    let error: unknown;
    try {
      parseCron(expression);
    } catch (thrown) {
      error = thrown;
    }
    assert.instance(error, CronError);
    const message = (error as Error).message;
    assert.ok(message.startsWith(`${expression}\n${' '.repeat(place)}^\n`), message);
    assert.ok(message.split('\n').at(-1));
  });
}

test('an error about a long expression repeats only the part around the failing place', () => {
  const long = `${'1,'.repeat(4_000)}x * * * * *`;
  try {
    parseCron(long);
    assert.unreachable();
  } catch (error) {
    const { message } = error as Error;
    const [text, caret] = message.split('\n') as [string, string];
    assert.ok(message.length < 1_000);
    assert.is(text[caret.indexOf('^')], 'x');
  }
});

test('10,000 characters are read, one more is refused at once', () => {
  const long = `${'0,'.repeat(4_994)}0 * * * * *`;
  assert.is(long.length, 9_999);
  assert.is(shown(parseCron(` ${long}`).next(at(FROM))), '2026-11-21 03:32:00');
  assert.throws(() => parseCron(`  ${long}`), /at most 10000 characters/);
  assert.throws(() => parseCron('1,'.repeat(5_000_000)), /at most 10000 characters/);
});

test('next() begins with the second after the one that holds the time', () => {
  const every = parseCron('* * * * * *');
  assert.is(every.next(999), 1000);
  assert.is(every.next(1000), 2000);
  assert.is(every.next(1999), 2000);
  assert.is(every.next(-5_000), 0);
  assert.is(every.next(at('2100-12-31 23:59:58')), at('2100-12-31 23:59:59'));
  assert.is(every.next(at('2100-12-31 23:59:59')), undefined);
  assert.is(every.next(8.64e15), undefined);
  assert.is(every.next(Number.MAX_VALUE), undefined);
  assert.is(every.next(Number.NaN), undefined);
});

test('a search that finds nothing takes the processor a few milliseconds', () => {
  const schedules = ['0 0 0 31 2,4,6 *', '0 0 0 30 2 2 1970-2100', '* * * 31 4 * 2099'];
  for (const schedule of schedules.map(parseCron)) {
    schedule.next(0);
    // The best of some: other threads of this process work too.
    const took = Array.from({ length: 5 }, () => {
      const begun = process.cpuUsage();
      assert.is(schedule.next(0), undefined);
      return process.cpuUsage(begun).user;
    });
    assert.ok(Math.min(...took) < 200_000);
  }
});

/** One item of a field as text, and the values it stands for, made side by side. */
interface Item {
  readonly text: string;
  readonly values: readonly number[];
}

const span = (from: number, to: number, step = 1): number[] => {
  const values = [];
  for (let value = from; value <= to; value += step) values.push(value);
  return values;
};

const item = (min: number, max: number): fc.Arbitrary<Item> => {
  const value = fc.integer({ min, max });
  const step = fc.integer({ min: 1, max });
  const range = fc.tuple(value, value).map(([a, b]) => [Math.min(a, b), Math.max(a, b)] as const);
  return fc.oneof(
    { weight: 3, arbitrary: fc.constant<Item>({ text: '*', values: span(min, max) }) },
    value.map((n) => ({ text: `${n}`, values: [n] })),
    range.map(([a, b]) => ({ text: `${a}-${b}`, values: span(a, b) })),
    step.map((k) => ({ text: `*/${k}`, values: span(min, max, k) })),
    fc.tuple(value, step).map(([n, k]) => ({ text: `${n}/${k}`, values: span(n, max, k) })),
    fc.tuple(range, step).map(([[a, b], k]) => ({
      text: `${a}-${b}/${k}`,
      values: span(a, b, k),
    })),
  );
};

const field = (min: number, max: number) =>
  fc.array(item(min, max), { minLength: 1, maxLength: 3 }).map((items) => ({
    text: items.map(({ text }) => text).join(','),
    values: new Set(items.flatMap(({ values }) => values)),
  }));

const expression = fc
  .tuple(
    field(0, 59),
    field(0, 59),
    field(0, 23),
    field(1, 31),
    field(1, 12),
    field(1, 7),
    fc.option(field(1970, 2100)),
  )
  .map((fields) => {
    const [seconds, minutes, hours, days, months, weekdays, years] = fields;
    const isDay = (date: Date): boolean =>
      days.values.has(date.getUTCDate()) &&
      months.values.has(date.getUTCMonth() + 1) &&
      weekdays.values.has(date.getUTCDay() + 1) &&
      (years === null || years.values.has(date.getUTCFullYear()));
    const isTime = (date: Date): boolean =>
      seconds.values.has(date.getUTCSeconds()) &&
      minutes.values.has(date.getUTCMinutes()) &&
      hours.values.has(date.getUTCHours());
    const text = fields.flatMap((each) => (each === null ? [] : [each.text])).join(' ');
    return { text, isDay, isTime };
  });

const DAY_MS = 86_400_000;

/** Tries second by second, days that do not match as a whole. */
function bruteForce(
  { isDay, isTime }: { isDay(date: Date): boolean; isTime(date: Date): boolean },
  after: number,
): number | undefined {
  let time = Math.floor(after / 1000) * 1000 + 1000;
  while (new Date(time).getUTCFullYear() <= 2100) {
    const date = new Date(time);
    if (!isDay(date)) time = (Math.floor(time / DAY_MS) + 1) * DAY_MS;
    else if (isTime(date)) return time;
    else time += 1000;
  }
  return undefined;
}

test('next() finds what a search second by second finds', () => {
  const time = fc.oneof(
    fc.integer({ min: 0, max: at('2101-01-02 00:00:00') }),
    fc.integer({ min: at('2026-01-01 00:00:00'), max: at('2029-01-01 00:00:00') }),
  );
  fc.assert(
    fc.property(expression, time, (cron, after) => {
      assert.is(shown(parseCron(cron.text).next(after)), shown(bruteForce(cron, after)), cron.text);
    }),
    { numRuns: 400 },
  );
});

test('blanks around numbers and between fields change nothing', () => {
  const blank = fc.constantFrom('', ' ', '\t', '\r\n', '  ');
  fc.assert(
    fc.property(expression, fc.infiniteStream(blank), (cron, blanks) => {
      const loose = cron.text.replace(/[,/-]/g, (sign) => {
        const [before, after] = [blanks.next().value, blanks.next().value];
        return `${before}${sign}${after}`;
      });
      assert.is(parseCron(loose).next(at(FROM)), parseCron(cron.text).next(at(FROM)));
    }),
  );
});

test('any other text is refused with a CronError', () => {
  const characters = fc.constantFrom(...' *?/,-0123456789LWabjnmon@\t\n');
  fc.assert(
    fc.property(fc.string({ unit: characters, maxLength: 30 }), (text) => {
      try {
        parseCron(text).next(at(FROM));
      } catch (error) {
        assert.instance(error, CronError);
      }
    }),
    { numRuns: 2_000 },
  );
});

test.run();
