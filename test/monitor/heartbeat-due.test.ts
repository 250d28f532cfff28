// When a heartbeat is late (plugins/monitor/src/heartbeat/due.ts).
import * as assert from 'uvu/assert';
import { dueOf } from '../../plugins/monitor/src/heartbeat/due.ts';
import { suite } from '../runner/suite.ts';

const test = suite('monitor: when a heartbeat is late');
const at = (text: string) => Date.parse(text);
const daily = { cron: '0 5 * * *', zone: 'Europe/Berlin', grace_s: 600 };

for (const { what, spec, arrived, runs = [], late, run } of [
  {
    what: 'a period and its grace',
    spec: { period_s: 3_600, grace_s: 300 },
    arrived: '2026-11-28T10:00:00Z',
    late: '2026-11-28T11:05:00Z',
  },
  {
    what: 'a cron in its zone',
    spec: daily,
    arrived: '2026-11-28T04:00:30Z',
    late: '2026-11-29T04:10:00Z',
  },
  {
    what: 'a ping half a minute early, which counts for the coming time',
    spec: daily,
    arrived: '2026-11-28T03:59:30Z',
    late: '2026-11-29T04:10:00Z',
  },
  {
    what: 'a ping an hour early, which does not',
    spec: daily,
    arrived: '2026-11-28T03:00:00Z',
    late: '2026-11-28T04:10:00Z',
  },
  {
    what: 'the day on which clocks go forward',
    spec: daily,
    arrived: '2027-03-27T04:00:10Z',
    late: '2027-03-28T03:10:00Z',
  },
  {
    what: 'a run that takes longer than it may, though the period is a day',
    spec: { ...daily, run_grace_s: 3_600 },
    arrived: '2026-11-27T04:20:00Z',
    runs: [{ rid: '', started_at: '2026-11-28T04:00:00Z' }],
    late: '2026-11-28T05:00:00Z',
    run: '',
  },
  {
    what: 'the first of two runs that overlap',
    spec: { period_s: 600, grace_s: 60, run_grace_s: 1_800 },
    arrived: '2026-11-28T10:25:00Z',
    runs: [
      { rid: 'a', started_at: '2026-11-28T10:00:00Z' },
      { rid: 'b', started_at: '2026-11-28T10:26:00Z' },
    ],
    late: '2026-11-28T10:30:00Z',
    run: 'a',
  },
  {
    what: 'a run without a limit of its own, which ends by the grace after its start',
    spec: { period_s: 3_600, grace_s: 300 },
    arrived: '2026-11-28T10:00:00Z',
    runs: [{ rid: '', started_at: '2026-11-28T11:03:00Z' }],
    late: '2026-11-28T11:08:00Z',
    run: '',
  },
])
  test(`${what}: it is late at ${late}`, () => {
    const going = runs.map(({ rid, started_at }) => ({ rid, started_at: at(started_at) }));
    const due = dueOf(spec, at(arrived), going);
    assert.is(new Date(due.late_at).toISOString(), new Date(late).toISOString());
    assert.is(due.run?.rid, run);
  });

test.run();
