import { ArrowDown, ArrowUp, Plus, Trash2 } from 'lucide';
import { Button, Select, TextField } from '../../../parts/index.ts';
import { type ListedMonitor, useListedMonitors } from '../../../parts/monitor/listed.ts';
import { keyOfProbe, type Probe as OfferedProbe, useProbes } from '../../../parts/probe/index.ts';
import { t } from '../../../strings/index.ts';
import { type Entry, type Shown, useEntries } from './model.ts';
import { MonitorFields } from './monitor-fields.tsx';

type Probe = NonNullable<Entry['probe']>;

interface Props {
  readonly entries: readonly Entry[];
  readonly onChange: (entries: Entry[]) => void;
  /** Whether readers see entries of monitors. */
  readonly seen: NonNullable<Shown['monitors']>;
}

/** Entries of the page in its order: machines, probes that a machine runs, and monitors. */
export function EntryList({ entries, onChange, seen }: Props) {
  const s = t.server.status;
  const offered = useProbes().data ?? [];
  const monitors = useListedMonitors();
  const { put, swap, remove, add, addAll, addMonitor, addMonitors, unused, more, ...list } =
    useEntries(entries, onChange, monitors);
  return (
    <fieldset class="field">
      <legend class="group-label">{s.entries}</legend>
      {entries.length === 0 && <p class="hint">{s.entriesHint}</p>}
      {list.hasUnnamed && <p class="hint">{s.unnamedHint}</p>}
      <ol class="server-entries">
        {entries.map((entry, at) => (
          <li key={entry.key ?? `new ${at}`} class="card">
            {typeof entry.monitor === 'number' ? (
              <MonitorFields
                {...{ entry, monitors }}
                seen={seen.find(({ key }) => key === entry.key)?.state}
                onChange={(changed) => put(at, changed)}
              />
            ) : (
              <EntryFields
                {...{ entry, offered, ...list }}
                onChange={(changed) => put(at, changed)}
              />
            )}
            <div class="row">
              <span class="grow" />
              <Button
                kind="quiet"
                icon={ArrowUp}
                label={s.up(list.titleOf(entry))}
                disabled={at === 0}
                onClick={() => swap(at, at - 1)}
              />
              <Button
                kind="quiet"
                icon={ArrowDown}
                label={s.down(list.titleOf(entry))}
                disabled={at === entries.length - 1}
                onClick={() => swap(at, at + 1)}
              />
              <Button
                kind="quiet"
                icon={Trash2}
                label={s.takeOut(list.titleOf(entry))}
                onClick={() => remove(at)}
              />
            </div>
          </li>
        ))}
      </ol>
      <div class="row wrap">
        <Button icon={Plus} disabled={!add} onClick={() => add?.()}>
          {s.addEntry}
        </Button>
        {addMonitor && (
          <Button icon={Plus} onClick={addMonitor}>
            {s.addMonitor}
          </Button>
        )}
        {addMonitor && <GroupChoice unused={unused} onAdd={addMonitors} />}
        {more !== undefined && (
          <Button disabled={list.isFull} onClick={addAll}>
            {s.addAll(more)}
          </Button>
        )}
      </div>
    </fieldset>
  );
}

interface GroupProps {
  readonly unused: ReadonlyMap<string, readonly ListedMonitor[]>;
  readonly onAdd: (monitors: readonly ListedMonitor[]) => void;
}

/** Adds all monitors of a group, or all. */
function GroupChoice({ unused, onAdd }: GroupProps) {
  const s = t.server.status;
  const all = [...unused.values()].flat();
  const groups = [...unused].filter(([group]) => group !== '');
  if (all.length < 2) return null;
  return (
    <Select
      bare
      label={s.addGroup}
      value=""
      options={[
        { value: '', label: s.addGroup },
        ...groups.map(([group, some]) => ({
          value: `group ${group}`,
          label: s.groupCount(group, some.length),
        })),
        { value: 'all', label: s.allMonitors(all.length) },
      ]}
      onChange={(value) => {
        const group = groups.find(([name]) => value === `group ${name}`);
        onAdd(value === 'all' ? all : (group?.[1] ?? []));
      }}
    />
  );
}

interface FieldsProps {
  readonly entry: Entry;
  readonly offered: readonly OfferedProbe[];
  readonly machines: readonly string[];
  readonly nameOf: (uuid: string) => string;
  readonly publicName: (uuid: string) => string;
  readonly onChange: (entry: Entry) => void;
}

const keyOf = ({ type, target }: Probe) => keyOfProbe({ kind: type, target });

function EntryFields(props: FieldsProps) {
  const { entry, offered, machines, nameOf, publicName, onChange } = props;
  const s = t.server.status;
  const { agent = '' } = entry;
  const probes = new Map<string, Probe>(
    offered
      .filter(({ agents }) => agents.includes(agent))
      .map(({ kind, target }) => [keyOfProbe({ kind, target }), { type: kind, target }]),
  );
  if (entry.probe) probes.set(keyOf(entry.probe), entry.probe);
  const agents = machines.includes(agent) ? machines : [agent, ...machines];
  const { probe: _probe, ...machine } = entry;
  return (
    <div class="server-rules">
      <TextField
        label={s.shownAs}
        value={entry.name ?? ''}
        onText={(name) => onChange({ ...entry, name })}
      />
      <TextField
        label={s.group}
        value={entry.group ?? ''}
        onText={(group) => onChange({ ...entry, group: group === '' ? null : group })}
      />
      <Select
        label={s.machine}
        value={agent}
        options={agents.map((value) => ({ value, label: nameOf(value) }))}
        onChange={(other) =>
          onChange({
            ...machine,
            agent: other,
            name: entry.name === publicName(agent) ? publicName(other) : (entry.name ?? ''),
          })
        }
      />
      <Select
        label={s.what}
        value={entry.probe ? keyOf(entry.probe) : ''}
        options={[
          { value: '', label: s.itself },
          ...[...probes.keys()].map((value) => ({ value, label: value })),
        ]}
        onChange={(value) => {
          const probe = probes.get(value);
          onChange(probe ? { ...machine, probe } : machine);
        }}
      />
    </div>
  );
}
