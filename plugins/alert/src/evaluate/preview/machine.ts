import type { BucketRow, ReportBuckets } from '@svc/plugin-agent/api';
import { ClockOffset } from '../clock-offset.ts';
import { type Plan, planOf, valuesOf } from '../plan.ts';
import { inSlices, Player } from '../play.ts';
import { bucketAsRow } from '../refill.ts';
import { Minutes } from '../windows.ts';
import { MINUTE_MS, usualOf } from './steps.ts';
import type { Ask, Played } from './types.ts';

/** Ends of contracts are looked at this often, also of machines that do not report. */
const CONTRACT_MS = 5 * MINUTE_MS;
const AVERAGE = 3;
const AGGREGATES = 4;

/** Plays a rule over the stored summaries of an agent. @throws RpcError 103, -32008 */
export async function playMachine(
  buckets: Pick<ReportBuckets, 'summary'>,
  ask: Ask,
): Promise<Played> {
  const { agent, from, to, signal, share, loaded, factsAt } = ask;
  const plan = planOf([loaded]);
  const fields = fieldsOf(plan);
  const step = fields.length > 0 ? ask.step_ms : Math.max(ask.step_ms, CONTRACT_MS);
  const rows: BucketRow[] = [];
  const range = { id: agent.id, from, to, step, signal, share };
  if (fields.length === 0) rows.push(...stepsOf(Math.ceil((to - from) / step)));
  else for await (const some of buckets.summary(range, fields)) rows.push(...some);
  rows.sort((a, b) => a.at - b.at);
  const timeOf = ({ at }: BucketRow) => from + at * step;
  const player = new Player(loaded, usualOf(rows.map(timeOf), step));
  const minutes = new Map(plan.windowed.map(({ name }) => [name, new Minutes()]));
  const clock = new ClockOffset(undefined);
  await inSlices(rows, (bucket) => {
    const row = bucketAsRow(bucket.values, fields, 'avg');
    const at = timeOf(bucket);
    const delay = delayOf(bucket, fields);
    if (delay !== undefined) clock.isCurrent(delay, at);
    for (const { name, read } of plan.windowed) {
      const value = read(row);
      if (value !== null) minutes.get(name)?.add(value, at);
    }
    const values = valuesOf(plan, row, () => ({ ...factsAt(at), offset_ms: clock.usual }));
    player.next(at, values, (use) => minutes.get(use.variable)?.value(use, at));
  });
  const places = [{ part: '', episodes: player.episodes }];
  return { places, evaluated: rows.length, isCut: false };
}

/** Columns that a plan reads; none: it looks at no reports. */
function fieldsOf({ facts, measured, windowed }: Plan): string[] {
  const columns: string[] = [...measured, ...windowed].flatMap((one) => one.columns);
  if (facts.includes('clock_offset_s')) columns.push('timestamp', 'storage_time');
  // A condition about names alone is judged at each report, too.
  if (columns.length === 0 && !facts.includes('expires_in_days')) columns.push('cpu_usage');
  return [...new Set(columns)];
}

const stepsOf = (count: number): BucketRow[] =>
  Array.from({ length: count }, (_, at) => ({ at, name: '', values: [] }));

/** Average time from the clock of the agent to the arrival, ms; undefined: it was not read. */
function delayOf({ values }: BucketRow, fields: readonly string[]): number | undefined {
  const averageOf = (field: string) => values[fields.indexOf(field) * AGGREGATES + AVERAGE];
  if (!fields.includes('storage_time')) return undefined;
  return Number(averageOf('storage_time')) - Number(averageOf('timestamp'));
}
