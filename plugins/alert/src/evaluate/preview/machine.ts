import type { BucketRow, ReportBuckets } from '@svc/plugin-agent/api';
import { planOf, valuesOf } from '../plan.ts';
import { inSlices, Player } from '../play.ts';
import { bucketAsRow } from '../refill.ts';
import { Minutes } from '../windows.ts';
import { usualOf } from './steps.ts';
import type { Ask, Played } from './types.ts';

/** Plays a rule over the stored summaries of an agent. @throws RpcError 103, -32008 */
export async function playMachine(
  buckets: Pick<ReportBuckets, 'summary'>,
  ask: Ask,
): Promise<Played> {
  const { agent, from, to, step_ms: step, signal, share, loaded, facts } = ask;
  const plan = planOf([loaded]);
  const columns = [...plan.measured, ...plan.windowed].flatMap((one) => one.columns);
  // A condition about names alone is judged at each report, too.
  const fields = [...new Set(columns.length > 0 ? columns : (['cpu_usage'] as const))];
  const rows: BucketRow[] = [];
  const range = { id: agent.id, from, to, step, signal, share };
  for await (const some of buckets.summary(range, fields)) rows.push(...some);
  rows.sort((a, b) => a.at - b.at);
  const timeOf = ({ at }: BucketRow) => from + at * step;
  const player = new Player(loaded, usualOf(rows.map(timeOf), step));
  const minutes = new Map(plan.windowed.map(({ name }) => [name, new Minutes()]));
  await inSlices(rows, (bucket) => {
    const row = bucketAsRow(bucket.values, fields, 'avg');
    const at = timeOf(bucket);
    for (const { name, read } of plan.windowed) {
      const value = read(row);
      if (value !== null) minutes.get(name)?.add(value, at);
    }
    const values = valuesOf(plan, row, () => facts);
    player.next(at, values, (use) => minutes.get(use.variable)?.value(use, at));
  });
  const places = [{ part: '', episodes: player.episodes }];
  return { places, evaluated: rows.length, isCut: false };
}
