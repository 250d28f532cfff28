import { Link, to } from '../../frame/index.ts';
import { t } from '../../strings/index.ts';
import { Next } from './cron/next-times.tsx';
import { wordsOf } from './cron/words.ts';
import type { Job } from './model.ts';
import type { Endings } from './runs/endings.ts';
import type { Firing } from './runs/firings.ts';
import { outcomeOf } from './runs/outcome.ts';
import { Strip } from './runs/strip.tsx';
import { JobSwitch } from './switch.tsx';
import { WorkText } from './work.tsx';

interface Props {
  readonly job: Job;
  readonly firings: readonly Firing[] | undefined;
  /** Failures of them; undefined: not known yet, or not for this token. */
  readonly endings: Endings | undefined;
  readonly onChanged: () => void;
}

export function JobRow({ job, firings, endings, onChanged }: Props) {
  return (
    <li class={`card jobs-row ${job.enable ? '' : 'off'}`}>
      <JobSwitch job={job} onChanged={onChanged} />
      <div class="jobs-what">
        <Link to={to('jobs', job.name)} class="jobs-name ellipsis">
          {job.name}
        </Link>
        <div class="muted small ellipsis">
          <WorkText job={job} />
        </div>
      </div>
      <div class="jobs-when">
        <div title={job.cron_expression}>{wordsOf(job.cron_expression)}</div>
        <div class="muted small ellipsis">
          {job.enable ? <Next expression={job.cron_expression} /> : t.jobs.off}
        </div>
      </div>
      <div class="jobs-runs">
        {firings && <Strip job={job} firings={firings} endings={endings} />}
        <Last job={job} firing={firings?.[0]} endings={endings} />
      </div>
    </li>
  );
}

interface LastProps {
  readonly job: Job;
  readonly firing: Firing | undefined;
  readonly endings: Endings | undefined;
}

/** "28 of 31 machines: no answer", where the last run was not complete. */
function Last({ job, firing, endings }: LastProps) {
  if (!firing) return null;
  const { mood, done, away, parts } = outcomeOf(firing, job, endings);
  if (mood === 'fine' || mood === 'open') return null;
  const failed = parts.find(({ state, text }) => state === 'failed' && text)?.text;
  const reason = failed ?? (away === parts.length ? t.jobs.allAway(away) : undefined);
  const count = parts.length > 1 ? t.jobs.tookPart(done, parts.length) : t.jobs.scriptMoods[mood];
  return (
    <div class={`small ellipsis jobs-${mood}`} title={reason}>
      {reason === undefined ? count : `${count}: ${reason}`}
    </div>
  );
}
