import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { Search } from '../../../parts/index.ts';
import { StateMark } from '../../../parts/monitor/state.tsx';
import { t } from '../../../strings/index.ts';
import type { Row } from '../model.ts';

interface Props {
  readonly title: string;
  /** Name of the list. */
  readonly label: string;
  readonly rows: readonly Row[];
  /** Line above those that are found. */
  readonly first?: ComponentChildren;
  /** Makes the control of a monitor. */
  readonly children: (row: Row) => ComponentChildren;
}

/** Monitors that are shown without a search. */
const FEW = 8;

/** Monitors to choose from, found by name, target or group. */
export function Picker({ title, label, rows, first, children }: Props) {
  const [text, setText] = useState('');
  const wanted = text.trim().toLowerCase();
  const found = rows.filter(({ name, target, group }) =>
    [name, target, group ?? ''].some((one) => one.toLowerCase().includes(wanted)),
  );
  return (
    <fieldset class="field monitors-picker">
      <legend class="group-label">{title}</legend>
      {rows.length > FEW && <Search label={t.monitors.find} value={text} onText={setText} />}
      {found.length === 0 && first === undefined ? (
        <p class="hint">{rows.length === 0 ? t.monitors.group.none : t.monitors.noMatch}</p>
      ) : (
        <ul class="monitors-list" tabIndex={0} aria-label={label}>
          {first !== undefined && <li>{first}</li>}
          {found.map((row) => (
            <li key={row.id}>
              {children(row)}
              <StateMark of={row.state} />
            </li>
          ))}
        </ul>
      )}
    </fieldset>
  );
}
