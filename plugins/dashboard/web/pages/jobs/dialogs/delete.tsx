import { Confirm } from '../../../parts/index.ts';
import { t } from '../../../strings/index.ts';
import { type Job, useDeletion } from '../model.ts';

interface Props {
  readonly job: Job;
  readonly onChanged: () => void;
  readonly onClose: () => void;
}

export function DeleteJob({ job, onChanged, onClose }: Props) {
  const remove = useDeletion(job, onChanged);
  return (
    <Confirm
      title={t.jobs.deleteTitle(job.name)}
      action={t.jobs.delete}
      onClose={onClose}
      onConfirm={remove}
    >
      <p>{t.jobs.deleteLost}</p>
    </Confirm>
  );
}
