import { useEffect, useState } from 'preact/hooks';
import { useServer } from '../../../frame/index.ts';
import type { Rule } from '../../../parts/alert/index.ts';
import { attempt } from '../../../parts/index.ts';
import { t } from '../../../strings/index.ts';
import { mayChangeRule } from './rights.ts';

interface Props {
  readonly rule: Rule;
  readonly onChanged: () => void;
}

/** Switch of a rule: it shows what is wanted until the server has said so. */
export function RuleSwitch({ rule, onChanged }: Props) {
  const server = useServer();
  const [wanted, setWanted] = useState<boolean>();
  const isOn = wanted ?? rule.enable;
  useEffect(() => setWanted(undefined), [rule]);
  const toggle = () =>
    attempt(async () => {
      setWanted(!isOn);
      try {
        await server.call('alert_rule_set_enable', { name: rule.name, enable: !isOn });
        onChanged();
      } catch (error) {
        setWanted(undefined);
        throw error;
      }
    });
  return (
    <button
      type="button"
      role="switch"
      class="switch"
      aria-checked={isOn}
      aria-label={t.alerts.ruleOn(rule.name)}
      disabled={!mayChangeRule(server, rule)}
      onClick={() => void toggle()}
    />
  );
}
