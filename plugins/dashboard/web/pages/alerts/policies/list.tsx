import { Pencil, Trash2 } from 'lucide';
import { Loaded, type Resource, useServer } from '../../../frame/index.ts';
import { mayAll } from '../../../parts/alert/index.ts';
import { Card, ConfirmButton, DialogButton } from '../../../parts/index.ts';
import { t } from '../../../strings/index.ts';
import { DEFAULT, type Policy } from '../model.ts';
import { PolicyDialog } from './dialog.tsx';
import { usePolicyRemoval } from './draft.ts';
import { NewPolicyButton } from './new-button.tsx';
import { policyText } from './text.ts';

/** Ways of telling, by name. */
export function Policies({ policies }: { readonly policies: Resource<readonly Policy[]> }) {
  const server = useServer();
  const mayWrite = mayAll(server, 'write');
  return (
    <Card
      title={t.alerts.policies}
      actions={
        mayWrite && <NewPolicyButton policies={policies.data ?? []} onDone={policies.refresh} />
      }
    >
      <Loaded of={policies} what={t.alerts.unreadable}>
        {(list) => (
          <ul class="alerts-lines">
            {list.map((policy) => (
              <li key={policy.name}>
                <div class="grow">
                  <strong>{policy.name === DEFAULT ? t.alerts.defaultPolicy : policy.name}</strong>
                  <div class="muted small">{policyText(policy)}</div>
                </div>
                {mayWrite && <Tools policy={policy} onDone={policies.refresh} />}
              </li>
            ))}
          </ul>
        )}
      </Loaded>
    </Card>
  );
}

function Tools({ policy, onDone }: { readonly policy: Policy; readonly onDone: () => void }) {
  const remove = usePolicyRemoval(policy.name, onDone);
  return (
    <div class="row">
      <DialogButton
        icon={Pencil}
        label={t.alerts.policyTitle(policy.name)}
        dialog={(close) => (
          <PolicyDialog policy={policy} taken={[]} onClose={close} onDone={onDone} />
        )}
      />
      {policy.name !== DEFAULT && (
        <ConfirmButton
          icon={Trash2}
          label={t.alerts.policyRemove(policy.name)}
          title={t.alerts.policyRemove(policy.name)}
          action={t.alerts.remove}
          onConfirm={remove}
        >
          <p>{t.alerts.policyRemoveText}</p>
        </ConfirmButton>
      )}
    </div>
  );
}
