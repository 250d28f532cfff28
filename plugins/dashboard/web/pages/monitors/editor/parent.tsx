import { useState } from 'preact/hooks';
import { Loaded } from '../../../frame/index.ts';
import { t } from '../../../strings/index.ts';
import { useMonitors } from '../model.ts';
import { Picker } from './picker.tsx';

interface Props {
  /** Name of the monitor that is changed: it is not reached through itself. */
  readonly own?: string;
  readonly parent: string;
  readonly onChange: (parent: string) => void;
}

/** The monitor through which one is reached, read from the server once it is asked for. */
export function ParentField(props: Props) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>{t.monitors.parent.through(props.parent)}</summary>
      {isOpen && (
        <div class="monitors-more">
          <Choice {...props} />
        </div>
      )}
    </details>
  );
}

function Choice({ own, parent, onChange }: Props) {
  const monitors = useMonitors();
  const radio = (name: string, label: string) => (
    <label class="check">
      <input type="radio" name="parent" checked={parent === name} onChange={() => onChange(name)} />
      <span>{label}</span>
    </label>
  );
  return (
    <Loaded of={monitors} what={t.monitors.unreadable}>
      {(rows) => (
        <Picker
          title={t.monitors.parent.hint}
          label={t.monitors.parent.label}
          rows={rows.filter(({ name }) => name !== own)}
          first={radio('', t.monitors.parent.none)}
        >
          {({ name }) => radio(name, name)}
        </Picker>
      )}
    </Loaded>
  );
}
