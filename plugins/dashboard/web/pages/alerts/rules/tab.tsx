import { BellRing, Plus } from 'lucide';
import { Link, Loaded, navigate, to, useMachines, useServer } from '../../../frame/index.ts';
import { type Rule, ruleTitle, SeverityIcon } from '../../../parts/alert/index.ts';
import { Button, Empty } from '../../../parts/index.ts';
import { t } from '../../../strings/index.ts';
import { policyOf, useRules } from '../model.ts';
import { scopeText } from './scope-text.ts';
import { ruleText } from './sentence.ts';
import { RuleSwitch } from './switch.tsx';

/** Rules, those with a problem or with something open first. */
export function RulesTab() {
  const { holds } = useServer();
  const rules = useRules();
  const add = holds('alert', 'write') && (
    <Button kind="primary" icon={Plus} onClick={() => navigate(to('alerts', 'rules', { new: '' }))}>
      {t.alerts.newRule}
    </Button>
  );
  return (
    <Loaded of={rules} what={t.alerts.unreadable}>
      {(list) =>
        list.length === 0 ? (
          <Empty icon={BellRing} title={t.alerts.noRules}>
            {add}
          </Empty>
        ) : (
          <div class="stack">
            <header class="page-head">
              <h2 class="grow">{t.alerts.ruleCount(list.length)}</h2>
              {add}
            </header>
            <ul class="alerts-rules card flush">
              {inOrder(list).map((rule) => (
                <RuleRow key={rule.id} rule={rule} onChanged={rules.refresh} />
              ))}
            </ul>
          </div>
        )
      }
    </Loaded>
  );
}

const weight = ({ problem, open, enable }: Rule): number =>
  problem !== null ? 0 : open > 0 ? 1 : enable ? 2 : 3;

const inOrder = (rules: readonly Rule[]): readonly Rule[] =>
  rules.toSorted((a, b) => weight(a) - weight(b) || ruleTitle(a).localeCompare(ruleTitle(b)));

interface RowProps {
  readonly rule: Rule;
  readonly onChanged: () => void;
}

function RuleRow({ rule, onChanged }: RowProps) {
  const { nameOf } = useMachines();
  const { name, severity, problem, open, enable, notify } = rule;
  return (
    <li class={`alerts-rule ${enable ? '' : 'off'}`}>
      <RuleSwitch rule={rule} onChanged={onChanged} />
      <SeverityIcon of={severity} />
      <div class="alerts-what">
        <Link to={to('alerts', 'rules', name)} class="alerts-name">
          {ruleTitle(rule)}
        </Link>
        <div class="muted small">{ruleText(rule)}</div>
        {problem !== null && <div class="small alerts-problem">{problem}</div>}
      </div>
      <div class="alerts-rule-scope small ellipsis" title={scopeText(rule, nameOf)}>
        {scopeText(rule, nameOf)}
      </div>
      <div class="alerts-rule-told small">
        {notify ? t.alerts.toldBy(policyOf(rule)) : t.alerts.shownOnly}
      </div>
      <div class="alerts-rule-open num">
        {open > 0 && <span class={`alert-count ${severity}`}>{t.alerts.openCount(open)}</span>}
      </div>
    </li>
  );
}
