import { Plus } from 'lucide';
import { DialogButton } from '../../../parts/index.ts';
import { t } from '../../../strings/index.ts';
import type { Policy } from '../model.ts';
import { PolicyDialog } from './dialog.tsx';

interface Props {
  readonly policies: readonly Policy[];
  readonly onDone: (name: string) => void;
}

/** Button that makes a policy. */
export const NewPolicyButton = ({ policies, onDone }: Props) => (
  <DialogButton
    kind="plain"
    icon={Plus}
    dialog={(close) => (
      <PolicyDialog
        policy={undefined}
        taken={policies.map(({ name }) => name)}
        onClose={close}
        onDone={onDone}
      />
    )}
  >
    {t.alerts.newPolicy}
  </DialogButton>
);
