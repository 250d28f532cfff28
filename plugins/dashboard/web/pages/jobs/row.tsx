import { useEffect, useMemo, useState } from 'preact/hooks';
import { Link, to, useMachines, useServer } from '../../frame/index.ts';
import { errorText, format, toast } from '../../parts/index.ts';
import { taskText } from '../../parts/task-form.tsx';
import { t } from '../../strings/index.ts';
import { cronWords, nextTimes, readCron } from './cron/words.ts';
import { type Job, mayChange, workOf } from './model.ts';
import type { Endings } from './runs/endings.ts';
import type { Firing } from './runs/firings.ts';
import { outcomeOf } from './runs/outcome.ts';
import { Strip } from './runs/strip.tsx';

interface Props {
  readonly job: Job;
  readonly firings: readonly Firing[] | undefined;
  /** What failed of them; undefined: not known yet, or not for this token. */
  readonly endings?: Endings | undefined;
  readonly onChanged: () => void;
}

export function JobRow({ job, firings, endings, onChanged }: Props) {
  const { schedule } = readCron(job.cron_expression);
  return (
    <li class={`card jobs-row ${job.enable ? '' : 'off'}`}>
      <Switch job={job} onChanged={onChanged} />
      <div class="jobs-what">
        <Link to={to('jobs', job.name)} class="jobs-name ellipsis">
          {job.name}
        </Link>
        <div class="muted small ellipsis">
          <WorkText job={job} />
        </div>
      </div>
      <div class="jobs-when">
        <div title={job.cron_expression}>
          {schedule ? cronWords(schedule) : job.cron_expression}
        </div>
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

/** "Command df -h on 3 machines", "Script nightly". */
export function WorkText({ job }: { readonly job: Job }) {
  const { nameOf } = useMachines();
  const work = workOf(job.cron_type);
  if (work.kind === 'script') return <>{t.jobs.runsScript(work.script)}</>;
  const [kind = ''] = typeof work.task === 'string' ? [work.task] : Object.keys(work.task);
  const [only = ''] = work.uuids;
  const where = work.uuids.length === 1 ? nameOf(only) : t.jobs.machines(work.uuids.length);
  const label = (t.tasks.kinds as { readonly [kind: string]: string })[kind] ?? kind;
  return (
    <>
      {label} <span class="mono">{taskText(work.task)}</span> · {where}
    </>
  );
}

/** "in 4 min", and when that is. */
export function Next({ expression }: { readonly expression: string }) {
  const now = useNow();
  const { schedule } = useMemo(() => readCron(expression), [expression]);
  const [next] = schedule ? nextTimes(schedule, now, 1) : [];
  if (next === undefined) return <>{t.jobs.never}</>;
  return <span title={format.dateTime(next)}>{t.jobs.nextIn(format.duration(next - now))}</span>;
}

/** Unix ms, once a second while somebody looks. */
export function useNow(): number {
  const [now, setNow] = useState(Date.now());
  useEffect(() => {
    const timer = setInterval(() => !document.hidden && setNow(Date.now()), 1000);
    return () => clearInterval(timer);
  }, []);
  return now;
}

/** On and off. */
export function Switch({ job, onChanged }: Omit<Props, 'firings' | 'endings'>) {
  const server = useServer();
  const { call } = server;
  const [wanted, setWanted] = useState<boolean>();
  const isOn = wanted ?? job.enable;
  useEffect(() => setWanted(undefined), [job]);
  const change = async () => {
    setWanted(!isOn);
    try {
      await call('crontab_set_enable', { name: job.name, enable: !isOn });
      onChanged();
    } catch (error) {
      setWanted(undefined);
      toast(errorText(error), { kind: 'bad' });
    }
  };
  return (
    <button
      type="button"
      role="switch"
      class="jobs-switch"
      aria-checked={isOn}
      aria-label={t.jobs.enabled(job.name)}
      title={isOn ? t.jobs.switchOff : t.jobs.switchOn}
      disabled={!mayChange(server, job, 'write')}
      onClick={() => void change()}
    />
  );
}
