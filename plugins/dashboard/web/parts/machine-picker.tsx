import { useMemo, useRef, useState } from 'preact/hooks';
import type { Machine } from '../frame/index.ts';
import { t } from '../strings/index.ts';
import { Checkbox, Search } from './field.tsx';
import { useWindow } from './table.tsx';
import './task-form.css';

interface Props {
  /** Machines that may be chosen. */
  readonly machines: readonly Machine[];
  readonly chosen: ReadonlySet<string>;
  readonly onChange: (chosen: ReadonlySet<string>) => void;
  /** Reason why a machine may not work now, in a word. */
  readonly noteOf?: (machine: Machine) => string | undefined;
}

/** Reason why a machine runs no tasks now, in a word. */
export function taskNote({ connected_for_tasks, tasks_allowed }: Machine): string | undefined {
  if (tasks_allowed === false) return t.tasks.off;
  return connected_for_tasks === false ? t.tasks.offline : undefined;
}

const ROW_PX = 34;
/** More are found by writing. */
const MOST_TAGS = 24;

/** Machines by name, by tag, or all. */
export function MachinePicker({ machines, chosen, onChange, noteOf }: Props) {
  const [text, setText] = useState('');
  const tags = useMemo(() => tagsOf(machines), [machines]);
  const wanted = text.trim().toLowerCase();
  const shown = machines.filter(({ uuid, name, tags: own }) =>
    [uuid, name, ...(own ?? [])].some((one) => one.toLowerCase().includes(wanted)),
  );
  const isAll = shown.length > 0 && shown.every(({ uuid }) => chosen.has(uuid));
  const set = (uuids: readonly string[], isIn: boolean) => {
    const changed = new Set(chosen);
    for (const uuid of uuids) isIn ? changed.add(uuid) : changed.delete(uuid);
    onChange(changed);
  };
  return (
    <fieldset class="field machine-picker">
      <legend class="group-label">{t.tasks.machines(chosen.size)}</legend>
      {(machines.length > 6 || tags.length > 0) && (
        <Search label={t.tasks.findMachine} value={text} onText={setText} />
      )}
      {tags.length > 0 && (
        <div class="row wrap">
          {tags.slice(0, MOST_TAGS).map(([tag, uuids]) => {
            const isIn = uuids.every((uuid) => chosen.has(uuid));
            return (
              <button
                type="button"
                class="tag"
                key={tag}
                aria-pressed={isIn}
                onClick={() => set(uuids, !isIn)}
              >
                {tag} <span>{uuids.length}</span>
              </button>
            );
          })}
        </div>
      )}
      {shown.length > 0 && (
        <Checkbox
          label={t.tasks.all(shown.length)}
          checked={isAll}
          onChange={(isIn) =>
            set(
              shown.map(({ uuid }) => uuid),
              isIn,
            )
          }
        />
      )}
      <List {...{ shown, chosen, noteOf }} onToggle={(uuid, isIn) => set([uuid], isIn)} />
    </fieldset>
  );
}

interface ListProps {
  readonly shown: readonly Machine[];
  readonly chosen: ReadonlySet<string>;
  readonly noteOf: Props['noteOf'];
  readonly onToggle: (uuid: string, isIn: boolean) => void;
}

function List({ shown, chosen, noteOf, onToggle }: ListProps) {
  const body = useRef<HTMLDivElement>(null);
  const [from, to] = useWindow(body, shown.length, ROW_PX);
  if (shown.length === 0) return <p class="hint">{t.tasks.noMachine}</p>;
  return (
    <div class="machine-list" tabIndex={0} role="group" aria-label={t.tasks.machineList}>
      <div ref={body} style={{ height: `${shown.length * ROW_PX}px`, position: 'relative' }}>
        {shown.slice(from, to).map((machine, at) => {
          const { uuid, name, tags } = machine;
          const note = noteOf?.(machine);
          return (
            <label key={uuid} class="check" style={{ top: `${(from + at) * ROW_PX}px` }}>
              <input
                type="checkbox"
                checked={chosen.has(uuid)}
                onChange={({ currentTarget }) => onToggle(uuid, currentTarget.checked)}
              />
              <span class="ellipsis grow" title={uuid}>
                {name}
              </span>
              {note !== undefined && <span class="small muted">{note}</span>}
              {tags?.slice(0, 2).map((tag) => (
                <span key={tag} class="small muted ellipsis">
                  {tag}
                </span>
              ))}
            </label>
          );
        })}
      </div>
    </div>
  );
}

/** The most frequent first. */
function tagsOf(machines: readonly Machine[]): readonly (readonly [string, readonly string[]])[] {
  const found = new Map<string, string[]>();
  for (const { uuid, tags } of machines)
    for (const tag of new Set(tags)) found.set(tag, [...(found.get(tag) ?? []), uuid]);
  return [...found].sort(([a, x], [b, y]) => y.length - x.length || a.localeCompare(b));
}
