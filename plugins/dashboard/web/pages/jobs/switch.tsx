import { useServer } from '../../frame/index.ts';
import { Switch } from '../../parts/switch.tsx';
import { t } from '../../strings/index.ts';
import { type Job, mayChange } from './model.ts';

interface Props {
  readonly job: Job;
  readonly onChanged: () => void;
}

/** Switch that turns a job on and off. */
export function JobSwitch({ job, onChanged }: Props) {
  const server = useServer();
  const { name } = job;
  return (
    <Switch
      of={job}
      label={t.jobs.enabled(name)}
      title={(isOn) => (isOn ? t.jobs.switchOff : t.jobs.switchOn)}
      disabled={!mayChange(server, job, 'write')}
      onSet={async (enable) => {
        await server.call('crontab_set_enable', { name, enable });
        onChanged();
      }}
    />
  );
}
