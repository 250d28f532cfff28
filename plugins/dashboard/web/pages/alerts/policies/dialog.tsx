import { Plus, X } from 'lucide';
import { SEVERITIES } from '../../../parts/alert/index.ts';
import { Button, Checkbox, FormDialog, Select, TextField } from '../../../parts/index.ts';
import { t } from '../../../strings/index.ts';
import { type Channel, type Policy, useChannels } from '../model.ts';
import { HoldSelect } from '../rules/hold.tsx';
import { TagChoice } from '../tags.tsx';
import { TimeField } from '../time-field.tsx';
import { ZoneField } from '../windows/zone-field.tsx';
import { type Step, usePolicyDraft } from './draft.ts';

interface Props {
  /** Undefined: a new one is made. */
  readonly policy: Policy | undefined;
  /** Names that are not free. */
  readonly taken: readonly string[];
  readonly onClose: () => void;
  readonly onDone: (name: string) => void;
}

const WAITS = [0, 10, 30, 60, 300, 900];
const REPEATS = [0, 1_800, 3_600, 7_200, 14_400, 43_200, 86_400];

/** Who is told, when, how often, and at which hours not. */
export function PolicyDialog({ policy, taken, onClose, onDone }: Props) {
  const channels = useChannels();
  const { draft, change, setStep, addStep, switchQuiet, save } = usePolicyDraft(policy, onDone);
  const isTaken = !policy && taken.includes(draft.name.trim());
  return (
    <FormDialog
      wide
      title={policy ? t.alerts.policyTitle(policy.name) : t.alerts.newPolicy}
      action={t.alerts.save}
      disabled={draft.name.trim() === '' || isTaken}
      why={isTaken ? t.alerts.nameTaken : t.alerts.why.name}
      onClose={onClose}
      onSubmit={save}
    >
      {!policy && (
        <TextField
          label={t.alerts.name}
          value={draft.name}
          required
          autofocus
          autocomplete="off"
          error={isTaken ? t.alerts.nameTaken : undefined}
          onText={(name) => change({ name })}
        />
      )}
      {draft.steps.map((step, at) => (
        <StepFields
          key={at}
          step={step}
          channels={channels.data ?? []}
          isFirst={at === 0}
          onChange={(next) => setStep(at, next)}
        />
      ))}
      <div>
        <Button icon={Plus} onClick={addStep}>
          {t.alerts.addStep}
        </Button>
      </div>
      <Quiet draft={draft} onChange={change} onSwitch={switchQuiet} />
      <Pace draft={draft} onChange={change} />
    </FormDialog>
  );
}

interface StepProps {
  readonly step: Step;
  readonly channels: readonly Channel[];
  readonly isFirst: boolean;
  readonly onChange: (step: Step | undefined) => void;
}

function StepFields({ step, channels, isFirst, onChange }: StepProps) {
  return (
    <div class="alerts-step">
      <HoldSelect
        label={isFirst ? t.alerts.firstStep : t.alerts.laterStep}
        value={step.after_s}
        none={t.alerts.atOnce}
        onChange={(after_s) => onChange({ ...step, after_s })}
      />
      {channels.length === 0 ? (
        <p class="hint">{t.alerts.noChannelYet}</p>
      ) : (
        <TagChoice
          label={t.alerts.tellWhom}
          all={channels.map(({ name }) => name)}
          chosen={step.channels}
          onChange={(names) => onChange({ ...step, channels: [...names] })}
        />
      )}
      {!isFirst && (
        <Button
          kind="quiet"
          icon={X}
          label={t.alerts.removeStep}
          onClick={() => onChange(undefined)}
        />
      )}
    </div>
  );
}

interface PartProps {
  readonly draft: Policy;
  readonly onChange: (part: Partial<Policy>) => void;
}

function Quiet({
  draft: { quiet },
  onChange,
  onSwitch,
}: PartProps & { readonly onSwitch: (isOn: boolean) => void }) {
  const clock = (name: 'from' | 'to') =>
    quiet && (
      <TimeField
        label={t.alerts.quietTimes[name]}
        time={quiet[name]}
        onTime={(time) => onChange({ quiet: { ...quiet, [name]: time } })}
      />
    );
  return (
    <div class="stack">
      <Checkbox label={t.alerts.hasQuiet} checked={quiet != null} onChange={onSwitch} />
      {quiet && (
        <div class="alerts-fields three">
          {clock('from')}
          {clock('to')}
          <ZoneField
            zone={quiet.zone}
            onChange={(zone) => onChange({ quiet: { ...quiet, zone } })}
          />
        </div>
      )}
    </div>
  );
}

const GROUPS = ['rule', 'subject', 'group', 'severity', 'all'] as const;

function Pace({ draft, onChange }: PartProps) {
  const { repeat_s } = draft;
  return (
    <details>
      <summary>{t.alerts.moreSettings}</summary>
      <div class="stack alerts-more">
        <div class="alerts-fields">
          <HoldSelect
            label={t.alerts.waits}
            value={draft.wait_s ?? 10}
            times={WAITS}
            onChange={(wait_s) => onChange({ wait_s })}
          />
          <Select
            label={t.alerts.groupBy}
            value={draft.group_by ?? 'rule'}
            options={GROUPS.map((value) => ({ value, label: t.alerts.groups[value] }))}
            onChange={(group_by) => onChange({ group_by })}
          />
        </div>
        <div class="alerts-fields three">
          {SEVERITIES.map((severity) => (
            <HoldSelect
              key={severity}
              label={t.alerts.againFor(t.alert.severities[severity])}
              value={repeat_s?.[severity] ?? 0}
              times={REPEATS}
              none={t.alerts.once}
              onChange={(seconds) => onChange({ repeat_s: { ...repeat_s, [severity]: seconds } })}
            />
          ))}
        </div>
        <Checkbox
          label={t.alerts.sendsClose}
          checked={draft.send_close !== false}
          onChange={(send_close) => onChange({ send_close })}
        />
      </div>
    </details>
  );
}
