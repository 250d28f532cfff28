import { Play, X } from 'lucide';
import { useEffect, useState } from 'preact/hooks';
import { useServer } from '../../../frame/index.ts';
import { Button, Card, ErrorNote, Skeleton } from '../../../parts/index.ts';
import { Results } from '../../../parts/task-results.tsx';
import { type Run, startRun } from '../../../parts/task-run.ts';
import { t } from '../../../strings/index.ts';
import { type Job, type ScriptWork, type TaskWork, useScriptRun, workOf } from '../model.ts';

/** Time limit of one machine, ms. */
const WAIT_MS = 60_000;

interface Props {
  readonly job: Job;
  readonly onClose: () => void;
}

/** Runs the job once. Its own history does not have the run, that of tasks does. */
export function RunNow({ job, onClose }: Props) {
  const work = workOf(job.cron_type);
  const [isSure, setSure] = useState(false);
  return (
    <Card
      title={t.jobs.runNow}
      actions={<Button kind="quiet" icon={X} label={t.parts.close} onClick={onClose} />}
    >
      {isSure ? (
        work.kind === 'task' ? (
          <OnMachines work={work} />
        ) : (
          <Script work={work} />
        )
      ) : (
        <div class="stack">
          <p>{t.jobs.runNowHint}</p>
          <div class="row">
            <Button kind="primary" icon={Play} onClick={() => setSure(true)}>
              {t.jobs.start}
            </Button>
            <Button onClick={onClose}>{t.parts.cancel}</Button>
          </div>
        </div>
      )}
    </Card>
  );
}

function OnMachines({ work }: { readonly work: TaskWork }) {
  const server = useServer();
  const [run, setRun] = useState<Run>();
  useEffect(() => setRun(startRun(server, work.task, [...new Set(work.uuids)], WAIT_MS)), []);
  if (work.uuids.length === 0) return <p class="muted">{t.jobs.noMachines}</p>;
  return run ? <Results run={run} /> : null;
}

function Script({ work }: { readonly work: ScriptWork }) {
  const answer = useScriptRun(work);
  if (answer.error !== undefined) return <ErrorNote error={answer.error} />;
  if (answer.text === undefined) return <Skeleton rows={2} />;
  return <pre class="jobs-answer">{answer.text}</pre>;
}
