import { useState } from 'preact/hooks';
import { Loaded } from '../../../frame/index.ts';
import { Checkbox, Search, Select, TextField } from '../../../parts/index.ts';
import { StateMark } from '../../../parts/monitor/state.tsx';
import { t } from '../../../strings/index.ts';
import { type Row, useMonitors } from '../model.ts';

type Spec = { readonly [name: string]: unknown };

interface Props {
  readonly spec: Spec;
  readonly onChange: (spec: Spec) => void;
}

const RULES = ['worst', 'all', 'count'] as const;
type Rule = (typeof RULES)[number];
/** Monitors that are shown without a search. */
const FEW = 8;

/** Monitors of a group, and how many of them must be down. */
export function GroupFields({ spec, onChange }: Props) {
  const monitors = useMonitors();
  const { down, ...rest } = spec;
  const rule = (spec['rule'] ?? 'worst') as Rule;
  const members = (spec['members'] ?? []) as readonly string[];
  const toggle = (name: string, isIn: boolean) =>
    onChange({
      ...spec,
      members: isIn ? [...members, name] : members.filter((one) => one !== name),
    });
  return (
    <>
      <Loaded of={monitors} what={t.monitors.unreadable}>
        {(rows) => (
          <Picker
            rows={rows.filter(({ kind }) => kind !== 'group')}
            members={members}
            onToggle={toggle}
          />
        )}
      </Loaded>
      <div class="monitors-fields">
        <Select<Rule>
          label={t.monitors.group.rule}
          value={rule}
          options={RULES.map((value) => ({ value, label: t.monitors.group.rules[value] }))}
          onChange={(value) =>
            onChange({ ...rest, rule: value, ...(value === 'count' && { down: down ?? 2 }) })
          }
        />
        {rule === 'count' && (
          <TextField
            label={t.monitors.group.down}
            type="number"
            min={1}
            max={50}
            value={String(down ?? '')}
            onText={(text) => onChange({ ...spec, down: text === '' ? undefined : Number(text) })}
          />
        )}
      </div>
    </>
  );
}

interface PickerProps {
  readonly rows: readonly Row[];
  readonly members: readonly string[];
  readonly onToggle: (name: string, isIn: boolean) => void;
}

function Picker({ rows, members, onToggle }: PickerProps) {
  const [text, setText] = useState('');
  const wanted = text.trim().toLowerCase();
  const found = rows.filter(({ name, target, group }) =>
    [name, target, group ?? ''].some((one) => one.toLowerCase().includes(wanted)),
  );
  return (
    <fieldset class="field monitors-picker">
      <legend class="group-label">{t.monitors.group.members(members.length)}</legend>
      {rows.length > FEW && <Search label={t.monitors.find} value={text} onText={setText} />}
      {found.length === 0 ? (
        <p class="hint">{rows.length === 0 ? t.monitors.group.none : t.monitors.noMatch}</p>
      ) : (
        <ul class="monitors-list" tabIndex={0} aria-label={t.monitors.membersTitle}>
          {found.map(({ id, name, state }) => (
            <li key={id}>
              <Checkbox
                label={name}
                checked={members.includes(name)}
                onChange={(isIn) => onToggle(name, isIn)}
              />
              <StateMark of={state} />
            </li>
          ))}
        </ul>
      )}
    </fieldset>
  );
}
