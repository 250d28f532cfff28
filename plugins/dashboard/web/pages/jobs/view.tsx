import { Pencil, Play, Trash2 } from 'lucide';
import { useState } from 'preact/hooks';
import { go, Link, to, useMachines, usePoll, useServer } from '../../frame/index.ts';
import { Button, Card, Confirm, Empty, ErrorNote, format, toast } from '../../parts/index.ts';
import { t } from '../../strings/index.ts';
import { NextTimes } from './cron/next-times.tsx';
import { cronWords, readCron } from './cron/words.ts';
import { Editor } from './dialogs/editor.tsx';
import { RunNow } from './dialogs/run-now.tsx';
import { type Job, mayChange, mayStart, workOf } from './model.ts';
import { Next, Switch, WorkText } from './row.tsx';
import { endingsOf } from './runs/endings.ts';
import { lastFirings } from './runs/firings.ts';
import { Runs } from './runs/list.tsx';
import { Strip } from './runs/strip.tsx';

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
      const [firings, endings] = await Promise.all([
        lastFirings(server, [job]),
        endingsOf(server, job),
      ]);
      return { firings: firings.get(job.name) ?? [], endings };
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
        {runs.data && runs.data.firings.length > 0 && <Strip {...runs.data} job={job} />}
        {runs.data && runs.data.firings.length > 0 && <Runs {...runs.data} job={job} />}
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

/** So few are shown at once. */
const FEW = 6;

/** The machines of a job, folded where they are many. */
function Machines({ job }: { readonly job: Job }) {
  const { nameOf } = useMachines();
  const work = workOf(job.cron_type);
  if (work.kind !== 'task' || work.uuids.length < 2) return null;
  const uuids = [...new Set(work.uuids)];
  const list = (
    <div class="jobs-machines">
      {uuids.map((uuid) => (
        <Link key={uuid} to={to('agent', uuid)} class="tag">
          {nameOf(uuid)}
        </Link>
      ))}
    </div>
  );
  if (uuids.length <= FEW) return list;
  return (
    <details class="jobs-fold">
      <summary>{t.jobs.showMachines(uuids.length)}</summary>
      {list}
    </details>
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
