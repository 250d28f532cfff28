import { Confirm } from '../../../parts/index.ts';
import { t } from '../../../strings/index.ts';
import { useRestart } from '../model.ts';

interface Props {
  readonly uuid: string;
  readonly name: string;
  readonly onClose: () => void;
}

/** An agent that is given its own configuration starts again, and with it everything that it does for tasks. */
export function Restart({ uuid, name, onClose }: Props) {
  const run = useRestart(uuid, name);
  return (
    <Confirm
      title={t.agent.restart.title(name)}
      action={t.agent.restart.action}
      onClose={onClose}
      onConfirm={run}
    >
      <p>{t.agent.restart.lost}</p>
    </Confirm>
  );
}
