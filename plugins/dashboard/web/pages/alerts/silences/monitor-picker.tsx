import { useMemo, useRef, useState } from 'preact/hooks';
import { namesMonitor } from '../../../parts/alert/index.ts';
import { Search } from '../../../parts/field.tsx';
import { grouped } from '../../../parts/grouped.ts';
import type { ListedMonitor } from '../../../parts/monitor/listed.ts';
import { useWindow } from '../../../parts/table.tsx';
import { t } from '../../../strings/index.ts';
import { isPattern, monitorText, withoutStars } from './monitor-text.ts';
import '../../../parts/task-form.css';

const collator = new Intl.Collator(undefined, { numeric: true });
const ROW_PX = 34;
/** More are found by writing. */
const MOST_GROUPS = 24;

interface Props {
  readonly monitors: readonly ListedMonitor[];
  /** Names, and patterns of names. */
  readonly chosen: readonly string[];
  readonly onChange: (chosen: readonly string[]) => void;
}

/** Monitors by name, by group, or by how their names begin. */
export function MonitorPicker({ monitors: all, chosen, onChange }: Props) {
  const monitors = useMemo(() => all.toSorted((a, b) => collator.compare(a.name, b.name)), [all]);
  const [text, setText] = useState('');
  const wanted = text.trim().toLowerCase();
  const shown = monitors.filter(({ name, group, tags }) =>
    [name, group ?? '', ...tags].some((one) => one.toLowerCase().includes(wanted)),
  );
  const set = (names: readonly string[], isIn: boolean) =>
    onChange(
      isIn ? [...new Set([...chosen, ...names])] : chosen.filter((one) => !names.includes(one)),
    );
  // A name with a star at its end would be read as a pattern.
  const pattern = `${withoutStars(text.trim())}*`;
  const known = new Set(monitors.map(({ name }) => name));
  const others = chosen.filter((one) => isPattern(one) || !known.has(one));
  return (
    <fieldset class="field machine-picker">
      <legend class="group-label">{t.alerts.monitors(chosen.length)}</legend>
      <Search label={t.alerts.findMonitor} value={text} onText={setText} />
      <div class="row wrap alerts-choice">
        {others.map((one) => (
          <button
            type="button"
            class="tag"
            key={one}
            aria-pressed={true}
            onClick={() => set([one], false)}
          >
            {monitorText(one)}
          </button>
        ))}
        {wanted !== '' && !chosen.includes(pattern) && (
          <button
            type="button"
            class="tag"
            aria-pressed={false}
            onClick={() => {
              set([pattern], true);
              setText('');
            }}
          >
            {t.alerts.alsoLater(monitorText(pattern))}
          </button>
        )}
        {wanted === '' && <Groups {...{ monitors, chosen, set }} />}
      </div>
      <p class="hint">{t.alerts.monitorsHint}</p>
      <List {...{ shown, chosen }} onToggle={(name, isIn) => set([name], isIn)} />
    </fieldset>
  );
}

interface GroupsProps extends Pick<Props, 'monitors' | 'chosen'> {
  readonly set: (names: readonly string[], isIn: boolean) => void;
}

/** Groups, each a button for the monitors that are in it now. */
function Groups({ monitors, chosen, set }: GroupsProps) {
  const groups = grouped(
    monitors.filter(({ group }) => group),
    ({ group }) => group ?? '',
  );
  return [...groups].slice(0, MOST_GROUPS).map(([group, own]) => {
    const names = own.map(({ name }) => name);
    const isIn = names.every((name) => chosen.includes(name));
    return (
      <button
        type="button"
        class="tag"
        key={`group ${group}`}
        aria-pressed={isIn}
        onClick={() => set(names, !isIn)}
      >
        {group} <span>{names.length}</span>
      </button>
    );
  });
}

interface ListProps {
  readonly shown: readonly ListedMonitor[];
  readonly chosen: readonly string[];
  readonly onToggle: (name: string, isIn: boolean) => void;
}

function List({ shown, chosen, onToggle }: ListProps) {
  const body = useRef<HTMLDivElement>(null);
  const [from, to] = useWindow(body, shown.length, ROW_PX);
  if (shown.length === 0) return <p class="hint">{t.alerts.noMonitor}</p>;
  const patterns = chosen.filter(isPattern);
  const names = new Set(chosen);
  return (
    <div class="machine-list" tabIndex={0} role="group" aria-label={t.alerts.monitors(0)}>
      <div ref={body} style={{ height: `${shown.length * ROW_PX}px`, position: 'relative' }}>
        {shown.slice(from, to).map(({ name, group }, at) => {
          const isMeant = namesMonitor(patterns, name);
          return (
            <label key={name} class="check" style={{ top: `${(from + at) * ROW_PX}px` }}>
              <input
                type="checkbox"
                checked={isMeant || names.has(name)}
                disabled={isMeant}
                onChange={({ currentTarget }) => onToggle(name, currentTarget.checked)}
              />
              <span class="ellipsis grow">{name}</span>
              {group && <span class="small muted ellipsis">{group}</span>}
            </label>
          );
        })}
      </div>
    </div>
  );
}
