import { RotateCcw, Trash2 } from 'lucide';
import { useServer } from '../../../frame/index.ts';
import type { Rule } from '../../../parts/alert/index.ts';
import { ConfirmButton } from '../../../parts/index.ts';
import { t } from '../../../strings/index.ts';
import { useRuleWork } from './draft.ts';
import { mayChangeRule } from './rights.ts';

/** Ways to be rid of a rule, or of its changes. */
export function Switched({ rule }: { readonly rule: Rule }) {
  const server = useServer();
  const { remove, reset } = useRuleWork(rule);
  if (!mayChangeRule(server, rule)) return null;
  return (
    <>
      {rule.shipped !== null && (
        <ConfirmButton
          icon={RotateCcw}
          label={t.alerts.reset}
          title={t.alerts.resetTitle(rule.name)}
          action={t.alerts.reset}
          onConfirm={reset}
        >
          <p>{t.alerts.resetText}</p>
        </ConfirmButton>
      )}
      <ConfirmButton
        icon={Trash2}
        label={t.alerts.remove}
        title={t.alerts.removeTitle(rule.name)}
        action={t.alerts.remove}
        onConfirm={remove}
      >
        <p>{rule.open > 0 ? t.alerts.removeOpen(rule.open) : t.alerts.removeText}</p>
      </ConfirmButton>
    </>
  );
}
