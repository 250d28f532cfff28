import { Loaded } from '../../../frame/index.ts';
import { Checkbox, Select, TextField } from '../../../parts/index.ts';
import { t } from '../../../strings/index.ts';
import { useMonitors } from '../model.ts';
import { Picker } from './picker.tsx';

type Spec = { readonly [name: string]: unknown };

interface Props {
  readonly spec: Spec;
  readonly onChange: (spec: Spec) => void;
}

const RULES = ['worst', 'all', 'count'] as const;
type Rule = (typeof RULES)[number];

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
            title={t.monitors.group.members(members.length)}
            label={t.monitors.membersTitle}
            rows={rows.filter(({ kind }) => kind !== 'group')}
          >
            {({ name }) => (
              <Checkbox
                label={name}
                checked={members.includes(name)}
                onChange={(isIn) => toggle(name, isIn)}
              />
            )}
          </Picker>
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
