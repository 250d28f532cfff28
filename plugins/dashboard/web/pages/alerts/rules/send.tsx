import { useServer } from '../../../frame/index.ts';
import { mayAll } from '../../../parts/alert/index.ts';
import { Card, Checkbox, Select, TextArea, TextField } from '../../../parts/index.ts';
import { t } from '../../../strings/index.ts';
import { DEFAULT, usePolicies } from '../model.ts';
import { NewPolicyButton } from '../policies/new-button.tsx';
import { policyText } from '../policies/text.ts';
import type { CardProps } from './condition-card.tsx';
import { HoldSelect } from './hold.tsx';
import { subjectsOf } from './subjects.ts';

const REPEATS = [0, 3_600, 4 * 3_600, 12 * 3_600, 86_400];

/** Who is told of it, and what the message says besides. */
export function SendCard({ draft, onChange }: CardProps) {
  return (
    <Card class="stack" title={t.alerts.telling}>
      <Checkbox
        label={t.alerts.sendsIt}
        checked={draft.notify}
        onChange={(notify) => onChange({ notify })}
      />
      {draft.notify ? (
        <PolicyChoice draft={draft} onChange={onChange} />
      ) : (
        <p class="hint">{t.alerts.shownOnlyHint}</p>
      )}
      <details>
        <summary>{t.alerts.moreSettings}</summary>
        <div class="stack alerts-more">
          <HoldSelect
            label={t.alerts.repeat}
            value={draft.repeat_s ?? 0}
            times={REPEATS}
            none={t.alerts.asPolicy}
            onChange={(seconds) => onChange({ repeat_s: seconds === 0 ? null : seconds })}
          />
          <TextArea
            label={t.alerts.summary}
            hint={t.alerts.summaryHints[subjectsOf(draft.source)]}
            value={draft.summary}
            rows={2}
            onText={(summary) => onChange({ summary })}
          />
          <TextField
            label={t.alerts.runbook}
            hint={t.alerts.runbookHint}
            type="url"
            value={draft.runbook}
            placeholder="https://wiki.example.net/disk-full"
            onText={(runbook) => onChange({ runbook })}
          />
        </div>
      </details>
    </Card>
  );
}

function PolicyChoice({ draft, onChange }: CardProps) {
  const server = useServer();
  const policies = usePolicies();
  const list = policies.data ?? [];
  const current = draft.policy === '' ? DEFAULT : draft.policy;
  const found = list.find(({ name }) => name === current);
  return (
    <>
      <div class="row alerts-end">
        <div class="grow">
          <Select
            label={t.alerts.policy}
            value={current}
            options={[...new Set([DEFAULT, current, ...list.map(({ name }) => name)])].map(
              (name) => ({ value: name, label: name === DEFAULT ? t.alerts.defaultPolicy : name }),
            )}
            onChange={(name) => onChange({ policy: name === DEFAULT ? '' : name })}
          />
        </div>
        {mayAll(server, 'write') && (
          <NewPolicyButton
            policies={list}
            onDone={(name) => {
              policies.refresh();
              onChange({ policy: name });
            }}
          />
        )}
      </div>
      {found && <p class="hint">{policyText(found)}</p>}
    </>
  );
}
