import { BellRing, Save } from 'lucide';
import { Loaded, navigate, to, useCrumbs, usePoll, useServer } from '../../../frame/index.ts';
import { type Rule, ruleTitle } from '../../../parts/alert/index.ts';
import { Button, Card, Empty, ErrorNote, Form, Skeleton, TextField } from '../../../parts/index.ts';
import { t } from '../../../strings/index.ts';
import { isMissing } from '../missing.ts';
import { Switched } from './actions.tsx';
import { useCheck } from './check.ts';
import { ConditionCard } from './condition-card.tsx';
import { checkedScope, newRule, useDraft } from './draft.ts';
import { Preview } from './preview.tsx';
import { mayChangeRule } from './rights.ts';
import { ScopeCard } from './scope.tsx';
import { SendCard } from './send.tsx';

interface Props {
  /** Name of the rule that is changed; undefined: a new one is made. */
  readonly name: string | undefined;
  /** Template that a new one begins with. */
  readonly template: string | undefined;
}

export function RuleEditor({ name, template }: Props) {
  const { call } = useServer();
  useCrumbs(
    { label: t.alerts.tabs.rules, to: to('alerts', 'rules') },
    { label: name ?? t.alerts.newRule },
  );
  const found = usePoll(`alert rule ${name}`, async () =>
    name === undefined ? undefined : call('alert_rule_get', { name }),
  );
  if (name === undefined)
    return (
      <div class="page alerts">
        <Editor rule={undefined} template={template ?? ''} />
      </div>
    );
  return (
    <div class="page alerts">
      {isMissing(found.error) ? (
        <Empty icon={BellRing} title={t.alerts.noRule}>
          <Button onClick={() => navigate(to('alerts', 'rules'))}>{t.alerts.toRules}</Button>
        </Empty>
      ) : (
        <Loaded of={found} what={t.alerts.unreadable} skeleton={<Skeleton rows={8} />}>
          {(rule) => <Editor key={name} rule={rule} template="" />}
        </Loaded>
      )}
    </div>
  );
}

interface EditorProps {
  readonly rule: Rule | undefined;
  readonly template: string;
}

function Editor({ rule, template }: EditorProps) {
  const server = useServer();
  const { draft, change, lack, save, error, isBusy } = useDraft(rule, template);
  const check = useCheck(draft.source, draft.condition, checkedScope(draft));
  const isValid = check.data?.valid === true;
  const mayChange = mayChangeRule(server, draft);
  // Nothing says yet what a new one is about.
  const mayEdit = rule === undefined || mayChangeRule(server, rule);
  const why = lack ?? (check.data?.valid === false ? 'invalid' : undefined);
  const made = lack === undefined && isValid ? newRule(draft) : undefined;
  // How it is called changes nothing of what it would have done.
  const tried = lack === 'name' && isValid ? newRule(draft) : made;
  return (
    <Form class="alerts-editor" onSubmit={() => made && mayChange && save()}>
      <header class="page-head">
        <h1 class="grow">{rule ? ruleTitle(rule) : t.alerts.newRule}</h1>
        {rule && <Switched rule={rule} />}
      </header>
      {rule?.problem && <p class="note warn">{rule.problem}</p>}
      <div class="alerts-sides">
        <fieldset class="stack" disabled={!mayEdit}>
          <ConditionCard draft={draft} onChange={change} check={check} />
          <ScopeCard draft={draft} onChange={change} />
          <SendCard draft={draft} onChange={change} />
          <Card class="stack">
            <TextField
              label={t.alerts.name}
              hint={t.alerts.nameHint}
              value={draft.name}
              required
              autocomplete="off"
              onText={(text) => change({ name: text })}
            />
          </Card>
          {error !== undefined && <ErrorNote what={t.alerts.notSaved} error={error} />}
          <div class="row wrap">
            <Button
              kind="primary"
              type="submit"
              icon={Save}
              disabled={made === undefined || !mayChange}
              busy={isBusy}
            >
              {t.alerts.save}
            </Button>
            <Button onClick={() => navigate(to('alerts', 'rules'))}>{t.parts.cancel}</Button>
            {mayEdit && (why || !mayChange) && (
              <span class="muted small">{t.alerts.why[why ?? 'right']}</span>
            )}
          </div>
        </fieldset>
        <Preview rule={tried} check={check.data} draft={draft} />
      </div>
    </Form>
  );
}
