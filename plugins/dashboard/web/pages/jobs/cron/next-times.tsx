import { useMemo } from 'preact/hooks';
import { format, useNow } from '../../../parts/index.ts';
import { t } from '../../../strings/index.ts';
import { nextTimes, readCron } from './words.ts';

const TIMES = 5;

/** The next times, in the reader's zone, and how long until then. */
export function NextTimes({ expression }: { readonly expression: string }) {
  const now = useNow(1_000);
  const { schedule } = readCron(expression);
  const times = schedule ? nextTimes(schedule, now, TIMES) : [];
  if (times.length === 0) return <p class="jobs-bad">{t.jobs.never}</p>;
  return (
    <>
      <p class="muted small">{t.jobs.zone}</p>
      <ol class="jobs-times" aria-label={t.jobs.nextTimes}>
        {times.map((time) => (
          <li key={time}>
            <time dateTime={new Date(time).toISOString()}>{format.dateTime(time)}</time>
            <span class="muted small">{t.jobs.inTime(format.duration(time - now))}</span>
          </li>
        ))}
      </ol>
    </>
  );
}

/** "in 4 min", and when that is. */
export function Next({ expression }: { readonly expression: string }) {
  const now = useNow(1_000);
  const { schedule } = useMemo(() => readCron(expression), [expression]);
  const [next] = schedule ? nextTimes(schedule, now, 1) : [];
  if (next === undefined) return <>{t.jobs.never}</>;
  return <span title={format.dateTime(next)}>{t.jobs.nextIn(format.duration(next - now))}</span>;
}
