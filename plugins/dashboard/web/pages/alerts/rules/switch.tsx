import { useServer } from '../../../frame/index.ts';
import type { Rule } from '../../../parts/alert/index.ts';
import { Switch } from '../../../parts/switch.tsx';
import { t } from '../../../strings/index.ts';
import { mayChangeRule } from './rights.ts';

interface Props {
  readonly rule: Rule;
  readonly onChanged: () => void;
}

/** Switch that turns a rule on and off. */
export function RuleSwitch({ rule, onChanged }: Props) {
  const server = useServer();
  const { name } = rule;
  return (
    <Switch
      of={rule}
      label={t.alerts.ruleOn(name)}
      disabled={!mayChangeRule(server, rule)}
      onSet={async (enable) => {
        await server.call('alert_rule_set_enable', { name, enable });
        onChanged();
      }}
    />
  );
}
