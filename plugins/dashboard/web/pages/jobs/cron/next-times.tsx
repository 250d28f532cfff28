import { format } from '../../../parts/index.ts';
import { t } from '../../../strings/index.ts';
import { useNow } from '../row.tsx';
import { nextTimes, readCron } from './words.ts';

const TIMES = 5;

/** The next times, in the reader's zone, and how long until then. */
export function NextTimes({ expression }: { readonly expression: string }) {
  const now = useNow();
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
