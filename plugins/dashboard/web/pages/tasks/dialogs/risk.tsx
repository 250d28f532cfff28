import { useMachines } from '../../../frame/index.ts';
import { Confirm } from '../../../parts/index.ts';
import { type Kind, type Task, taskText } from '../../../parts/task-form.tsx';
import { t } from '../../../strings/index.ts';

interface Props {
  readonly task: Task;
  readonly kind: Kind;
  /** UUIDs of the machines. */
  readonly chosen: readonly string[];
  readonly start: () => void;
  readonly onClose: () => void;
}

/** Machines that are named; the others are left out. */
const MOST_NAMES = 12;

/** Asks before a task that can do harm. */
export function RiskDialog({ task, kind, chosen, start, onClose }: Props) {
  const { nameOf } = useMachines();
  return (
    <Confirm
      title={t.tasks.sure(t.tasks.kinds[kind], chosen.length)}
      action={t.tasks.runOn(chosen.length)}
      onClose={onClose}
      onConfirm={async () => start()}
    >
      <p>{t.tasks.risks[kind as 'execute'] ?? ''}</p>
      {kind !== 'edit_config' && <code class="tasks-code">{taskText(task)}</code>}
      <p class="muted">
        {chosen.slice(0, MOST_NAMES).map(nameOf).join(', ')}
        {chosen.length > MOST_NAMES && ' …'}
      </p>
    </Confirm>
  );
}
