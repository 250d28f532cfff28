import { ArrowDown, ArrowUp, Plus, Trash2 } from 'lucide';
import { Button, Select, TextField } from '../../../parts/index.ts';
import { keyOfProbe, type Probe as OfferedProbe, useProbes } from '../../../parts/probe/index.ts';
import { t } from '../../../strings/index.ts';
import { type Entry, useEntries } from './model.ts';

type Probe = NonNullable<Entry['probe']>;

interface Props {
  readonly entries: readonly Entry[];
  readonly onChange: (entries: Entry[]) => void;
}

/** Entries of the page in its order: machines, and probes that a machine runs. */
export function EntryList({ entries, onChange }: Props) {
  const s = t.server.status;
  const offered = useProbes().data ?? [];
  const { put, swap, remove, add, addAll, more, ...list } = useEntries(entries, onChange);
  return (
    <fieldset class="field">
      <legend class="group-label">{s.entries}</legend>
      {entries.length === 0 && <p class="hint">{s.entriesHint}</p>}
      {list.hasUnnamed && <p class="hint">{s.unnamedHint}</p>}
      <ol class="server-entries">
        {entries.map((entry, at) => (
          <li key={entry.key ?? `new ${at}`} class="card">
            <EntryFields
              {...{ entry, offered, ...list }}
              onChange={(changed) => put(at, changed)}
            />
            <div class="row">
              <span class="grow" />
              <Button
                kind="quiet"
                icon={ArrowUp}
                label={s.up(entry.name)}
                disabled={at === 0}
                onClick={() => swap(at, at - 1)}
              />
              <Button
                kind="quiet"
                icon={ArrowDown}
                label={s.down(entry.name)}
                disabled={at === entries.length - 1}
                onClick={() => swap(at, at + 1)}
              />
              <Button
                kind="quiet"
                icon={Trash2}
                label={s.takeOut(entry.name)}
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
        {more !== undefined && (
          <Button disabled={list.isFull} onClick={addAll}>
            {s.addAll(more)}
          </Button>
        )}
      </div>
    </fieldset>
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
  const probes = new Map<string, Probe>(
    offered
      .filter(({ agents }) => agents.includes(entry.agent))
      .map(({ kind, target }) => [keyOfProbe({ kind, target }), { type: kind, target }]),
  );
  if (entry.probe) probes.set(keyOf(entry.probe), entry.probe);
  const agents = machines.includes(entry.agent) ? machines : [entry.agent, ...machines];
  const { probe: _probe, ...machine } = entry;
  return (
    <div class="server-rules">
      <TextField
        label={s.shownAs}
        value={entry.name}
        onText={(name) => onChange({ ...entry, name })}
      />
      <TextField
        label={s.group}
        value={entry.group ?? ''}
        onText={(group) => onChange({ ...entry, group: group === '' ? null : group })}
      />
      <Select
        label={s.machine}
        value={entry.agent}
        options={agents.map((value) => ({ value, label: nameOf(value) }))}
        onChange={(agent) =>
          onChange({
            ...machine,
            agent,
            name: entry.name === publicName(entry.agent) ? publicName(agent) : entry.name,
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
