import { useServer } from '../../frame/index.ts';
import { t } from '../../strings/index.ts';
import { type Job, mayChange, useEnabled } from './model.ts';

interface Props {
  readonly job: Job;
  readonly onChanged: () => void;
}

/** Switch that turns a job on and off. */
export function Switch({ job, onChanged }: Props) {
  const server = useServer();
  const { isOn, toggle } = useEnabled(job, onChanged);
  return (
    <button
      type="button"
      role="switch"
      class="switch"
      aria-checked={isOn}
      aria-label={t.jobs.enabled(job.name)}
      title={isOn ? t.jobs.switchOff : t.jobs.switchOn}
      disabled={!mayChange(server, job, 'write')}
      onClick={() => void toggle()}
    />
  );
}
