import { Pencil, Play, Trash2 } from 'lucide';
import { useState } from 'preact/hooks';
import { Link, to, useMachines, useServer } from '../../frame/index.ts';
import { Button, Card, Empty, ErrorNote, format } from '../../parts/index.ts';
import { t } from '../../strings/index.ts';
import { Next, NextTimes } from './cron/next-times.tsx';
import { wordsOf } from './cron/words.ts';
import { DeleteJob } from './dialogs/delete.tsx';
import { Editor } from './dialogs/editor.tsx';
import { RunNow } from './dialogs/run-now.tsx';
import { type Job, mayChange, mayStart, workOf } from './model.ts';
import { Runs } from './runs/list.tsx';
import { useRuns } from './runs/model.ts';
import { Strip } from './runs/strip.tsx';
import { JobSwitch } from './switch.tsx';
import { WorkText } from './work.tsx';

interface Props {
  readonly job: Job;
  readonly onChanged: () => void;
}

type Dialog = 'edit' | 'run' | 'delete';

/** One job: what it does, when, and what came of it. */
export function JobView({ job, onChanged }: Props) {
  const [open, setOpen] = useState<Dialog>();
  const close = () => setOpen(undefined);
  if (open === 'edit') {
    const onSaved = () => {
      close();
      onChanged();
    };
    return <Editor job={job} onSaved={onSaved} onCancel={close} />;
  }
  const { enable, cron_expression: expression, last_run_time } = job;
  return (
    <div class="stack">
      <Head job={job} onChanged={onChanged} onOpen={setOpen} />
      <div class="jobs-facts">
        <Card title={t.jobs.does}>
          <WorkText job={job} />
          <Machines job={job} />
          {last_run_time !== null && (
            <p class="muted small">{t.jobs.lastRun(format.dateTime(Number(last_run_time)))}</p>
          )}
        </Card>
        <Card title={wordsOf(expression)}>
          <p class="muted">
            <code>{expression}</code> · {enable ? <Next expression={expression} /> : t.jobs.off}
          </p>
          {enable && <NextTimes expression={expression} />}
        </Card>
      </div>
      {open === 'run' && <RunNow job={job} onClose={close} />}
      <LastRuns job={job} />
      {open === 'delete' && <DeleteJob {...{ job, onChanged }} onClose={close} />}
    </div>
  );
}

/** Name of the job, and what the reader may do with it. */
function Head({ job, onChanged, onOpen }: Props & { readonly onOpen: (dialog: Dialog) => void }) {
  const server = useServer();
  return (
    <header class="page-head jobs-head">
      <JobSwitch job={job} onChanged={onChanged} />
      <h1 class="grow ellipsis">{job.name}</h1>
      {mayStart(server, job) && (
        <Button icon={Play} onClick={() => onOpen('run')}>
          {t.jobs.runNow}
        </Button>
      )}
      {mayChange(server, job, 'write') && (
        <Button icon={Pencil} onClick={() => onOpen('edit')}>
          {t.jobs.edit}
        </Button>
      )}
      {mayChange(server, job, 'delete') && (
        <Button kind="danger" icon={Trash2} onClick={() => onOpen('delete')}>
          {t.jobs.delete}
        </Button>
      )}
    </header>
  );
}

function LastRuns({ job }: { readonly job: Job }) {
  const { data, error, refresh } = useRuns(job);
  return (
    <Card title={t.jobs.runs}>
      {error !== undefined && <ErrorNote error={error} onRetry={refresh} />}
      {data && data.firings.length > 0 && (
        <>
          <Strip {...data} job={job} />
          <Runs {...data} job={job} />
        </>
      )}
      {data?.firings.length === 0 && (
        <Empty title={t.jobs.noRuns}>
          <p>{t.jobs.noRunsHint}</p>
        </Empty>
      )}
    </Card>
  );
}

/** Number of machines that are shown at once. */
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
