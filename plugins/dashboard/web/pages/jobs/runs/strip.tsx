import { format } from '../../../parts/index.ts';
import { t } from '../../../strings/index.ts';
import type { Job } from '../model.ts';
import type { Endings } from './endings.ts';
import { type Firing, SHOWN } from './firings.ts';
import { outcomeOf } from './outcome.ts';

interface Props {
  readonly job: Job;
  /** Newest first. */
  readonly firings: readonly Firing[];
  readonly endings?: Endings | undefined;
}

/** A dot a run, the newest at the end. */
export function Strip({ job, firings, endings }: Props) {
  const shown = firings
    .slice(0, SHOWN)
    .map(({ at, ...rest }) => ({ at, ...outcomeOf({ at, ...rest }, job, endings) }))
    .toReversed();
  if (shown.length === 0) return <span class="muted small">{t.jobs.noRuns}</span>;
  const count = (mood: string) => shown.filter((one) => one.mood === mood).length;
  return (
    <div
      class="jobs-strip"
      role="img"
      aria-label={t.jobs.strip(shown.length, count('bad'), count('part'))}
    >
      {shown.map(({ at, mood, done, running, parts }) => (
        <span
          key={at}
          class={`jobs-dot ${mood}`}
          title={`${format.dateTime(at)} · ${
            parts.length > 1
              ? t.jobs.tookPart(done + running, parts.length)
              : t.jobs.scriptMoods[mood]
          }`}
        />
      ))}
    </div>
  );
}
