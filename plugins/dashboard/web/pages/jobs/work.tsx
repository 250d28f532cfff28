import { useMachines } from '../../frame/index.ts';
import { taskText } from '../../parts/task-form.tsx';
import { t } from '../../strings/index.ts';
import { type Job, workOf } from './model.ts';

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
