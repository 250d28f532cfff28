import { Pencil, Play, Trash2 } from 'lucide';
import { useState } from 'preact/hooks';
import { go, Link, to, useMachines, usePoll, useServer } from '../../frame/index.ts';
import { Button, Card, Confirm, Empty, ErrorNote, format, toast } from '../../parts/index.ts';
import { t } from '../../strings/index.ts';
import { cronWords, readCron } from './cron-words.ts';
import { Editor } from './editor.tsx';
import { Next, Switch, WorkText } from './job-row.tsx';
import {
  type Ending,
  endingsOf,
  type Firing,
  firingsOf,
  type Job,
  lastRecords,
  mayChange,
  mayStart,
  workOf,
} from './model.ts';
import { NextTimes } from './next-times.tsx';
import { RunNow } from './run-now.tsx';
import { moodOf, Strip } from './strip.tsx';

interface Props {
  readonly job: Job;
  readonly onChanged: () => void;
}

const EVERY_MS = 5_000;

/** One job: what it does, when, and what came of it. */
export function JobView({ job, onChanged }: Props) {
  const server = useServer();
  const [open, setOpen] = useState<'edit' | 'run' | 'delete'>();
  const runs = usePoll(
    `job ${job.name}`,
    async () => {
      const [records, endings] = await Promise.all([
        lastRecords(server, [job.name]),
        endingsOf(server, job),
      ]);
      return { firings: firingsOf(records.get(job.name) ?? []), endings };
    },
    { every_ms: EVERY_MS },
  );
  const { schedule } = readCron(job.cron_expression);
  if (open === 'edit')
    return (
      <Editor
        job={job}
        onSaved={() => {
          setOpen(undefined);
          onChanged();
        }}
        onCancel={() => setOpen(undefined)}
      />
    );
  return (
    <div class="stack">
      <header class="page-head jobs-head">
        <Switch job={job} onChanged={onChanged} />
        <h1 class="grow ellipsis">{job.name}</h1>
        {mayStart(server, job) && (
          <Button icon={Play} onClick={() => setOpen('run')}>
            {t.jobs.runNow}
          </Button>
        )}
        {mayChange(server, job, 'write') && (
          <Button icon={Pencil} onClick={() => setOpen('edit')}>
            {t.jobs.edit}
          </Button>
        )}
        {mayChange(server, job, 'delete') && (
          <Button kind="danger" icon={Trash2} onClick={() => setOpen('delete')}>
            {t.jobs.delete}
          </Button>
        )}
      </header>
      <div class="jobs-facts">
        <Card title={t.jobs.does}>
          <WorkText job={job} />
          <Machines job={job} />
          {job.last_run_time !== null && (
            <p class="muted small">{t.jobs.lastRun(format.dateTime(Number(job.last_run_time)))}</p>
          )}
        </Card>
        <Card title={schedule ? cronWords(schedule) : job.cron_expression}>
          <p class="muted">
            <code>{job.cron_expression}</code> ·{' '}
            {job.enable ? <Next expression={job.cron_expression} /> : t.jobs.off}
          </p>
          {job.enable && <NextTimes expression={job.cron_expression} />}
        </Card>
      </div>
      {open === 'run' && <RunNow job={job} onClose={() => setOpen(undefined)} />}
      <Card title={t.jobs.runs}>
        {runs.error !== undefined && <ErrorNote error={runs.error} onRetry={runs.refresh} />}
        {runs.data && runs.data.firings.length > 0 && <Strip {...runs.data} />}
        {runs.data && runs.data.firings.length > 0 && <Firings {...runs.data} job={job} />}
        {runs.data?.firings.length === 0 && (
          <Empty title={t.jobs.noRuns}>
            <p>{t.jobs.noRunsHint}</p>
          </Empty>
        )}
      </Card>
      {open === 'delete' && <Delete {...{ job, onChanged }} onClose={() => setOpen(undefined)} />}
    </div>
  );
}

const MOST_MACHINES = 40;

function Machines({ job }: { readonly job: Job }) {
  const { nameOf } = useMachines();
  const work = workOf(job.cron_type);
  if (work.kind !== 'task' || work.uuids.length < 2) return null;
  return (
    <div class="jobs-machines">
      {[...new Set(work.uuids)].slice(0, MOST_MACHINES).map((uuid) => (
        <Link key={uuid} to={to('agent', uuid)} class="tag">
          {nameOf(uuid)}
        </Link>
      ))}
      {work.uuids.length > MOST_MACHINES && <span>…</span>}
    </div>
  );
}

/** Shown at once. */
const MOST_FIRINGS = 30;

interface FiringsProps {
  readonly job: Job;
  readonly firings: readonly Firing[];
  readonly endings: ReadonlyMap<string, Ending>;
}

function Firings({ job, firings, endings }: FiringsProps) {
  return (
    <ol class="jobs-firings">
      {firings.slice(0, MOST_FIRINGS).map((firing, at) => {
        const mood = moodOf(firing, endings);
        const done = firing.records.filter(({ success }) => success === true).length;
        return (
          <li key={firing.at}>
            <details open={at === 0}>
              <summary>
                <span class={`jobs-dot ${mood}`} />
                <span class="num">{format.dateTime(firing.at)}</span>
                <span class="muted">{t.jobs.handed(done, firing.records.length)}</span>
                <span class={mood === 'bad' ? 'jobs-bad' : 'muted'}>{t.jobs.moods[mood]}</span>
              </summary>
              <Records {...{ job, firing, endings }} />
            </details>
          </li>
        );
      })}
    </ol>
  );
}

function Records({
  job,
  firing,
  endings,
}: Omit<FiringsProps, 'firings'> & { readonly firing: Firing }) {
  const { nameOf } = useMachines();
  const work = workOf(job.cron_type);
  const uuids = work.kind === 'task' ? work.uuids : [];
  return (
    <ul class="jobs-records">
      {firing.records.map(({ id, relative_id, success, message }) => {
        const ending = endings.get(String(relative_id));
        const uuid = uuids.find((one) => message?.includes(one));
        return (
          <li key={String(id)}>
            {uuid !== undefined && <strong>{nameOf(uuid)} </strong>}
            {success !== true && <span class="jobs-bad">{message}</span>}
            {success === true && ending === undefined && (
              <span class="muted">{t.jobs.noEnding}</span>
            )}
            {ending?.state === 'running' && <span class="muted">{t.jobs.moods.open}</span>}
            {ending && ending.state !== 'running' && (
              <span class={ending.state === 'failed' ? 'jobs-bad mono' : 'mono'}>
                {ending.text.slice(0, 400) || t.tasks.nothing}
              </span>
            )}
          </li>
        );
      })}
    </ul>
  );
}

function Delete({ job, onChanged, onClose }: Props & { readonly onClose: () => void }) {
  const { call } = useServer();
  const { name, cron_expression, cron_type, enable } = job;
  const restore = async () => {
    await call('crontab_create', { name, cron_expression, cron_type });
    if (!enable) await call('crontab_set_enable', { name, enable: false });
    onChanged();
  };
  return (
    <Confirm
      title={t.jobs.deleteTitle(name)}
      action={t.jobs.delete}
      onClose={onClose}
      onConfirm={async () => {
        await call('crontab_delete', { name });
        toast(t.jobs.deleted(name), {
          action: { label: t.jobs.undo, run: () => void restore().catch(failed) },
        });
        go(to('jobs'));
        onChanged();
      }}
    >
      <p>{t.jobs.deleteLost}</p>
    </Confirm>
  );
}

const failed = (error: unknown) =>
  toast(error instanceof Error ? error.message : String(error), { kind: 'bad' });
