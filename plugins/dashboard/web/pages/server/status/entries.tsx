import type { Methods } from '@svc/client';
import { ArrowDown, ArrowUp, Plus, Trash2 } from 'lucide';
import { useMachines } from '../../../frame/index.ts';
import { Button, Select, TextField } from '../../../parts/index.ts';
import { type Probe as Known, keyOfProbe, useProbes } from '../../../parts/probe/index.ts';
import { t } from '../../../strings/index.ts';

type Entry = Methods['status-page_create']['params']['page']['entries'][number];
type Probe = NonNullable<Entry['probe']>;

/** The server takes no more. */
const MOST = 40;

interface Props {
  readonly entries: readonly Entry[];
  readonly onChange: (entries: Entry[]) => void;
}

/** What the page lists, in its order: machines, and probes that a machine runs. */
export function EntryList({ entries, onChange }: Props) {
  const s = t.server.status;
  const { list, of, nameOf } = useMachines();
  const known = useProbes().data ?? [];
  const machines = (list ?? []).map(({ uuid }) => uuid);
  const put = (at: number, entry: Entry) =>
    onChange(entries.map((old, n) => (n === at ? entry : old)));
  const swap = (at: number, by: number) => {
    const [a, b] = [entries[at], entries[at + by]];
    if (a && b) onChange(entries.map((old, n) => (n === at ? b : n === at + by ? a : old)));
  };
  const unlisted = machines.filter(
    (uuid) => !entries.some(({ agent, probe }) => agent === uuid && !probe),
  );
  /** What the public may read: a name that people gave, never the host's own. */
  const publicName = (agent: string): string =>
    of(agent)?.given_name ?? s.machineNumber(machines.indexOf(agent) + 1);
  const isUnnamed = (agent: string) => of(agent)?.given_name === null;
  const made = (agent: string): Entry => ({ name: publicName(agent), agent });
  const group = entries.at(-1)?.group;
  return (
    <fieldset class="field">
      <legend class="group-label">{s.entries}</legend>
      {entries.length === 0 && <p class="hint">{s.entriesHint}</p>}
      {entries.some(({ agent }) => isUnnamed(agent)) && <p class="hint">{s.unnamedHint}</p>}
      <ol class="server-entries">
        {entries.map((entry, at) => (
          <li key={entry.key ?? `new ${at}`} class="card">
            <EntryFields
              {...{ entry, known, machines, nameOf, publicName }}
              onChange={(changed) => put(at, changed)}
            />
            <div class="row">
              <span class="grow" />
              <Button
                kind="quiet"
                icon={ArrowUp}
                label={s.up(entry.name)}
                disabled={at === 0}
                onClick={() => swap(at, -1)}
              />
              <Button
                kind="quiet"
                icon={ArrowDown}
                label={s.down(entry.name)}
                disabled={at === entries.length - 1}
                onClick={() => swap(at, 1)}
              />
              <Button
                kind="quiet"
                icon={Trash2}
                label={s.takeOut(entry.name)}
                onClick={() => onChange(entries.filter((_, n) => n !== at))}
              />
            </div>
          </li>
        ))}
      </ol>
      <div class="row wrap">
        <Button
          icon={Plus}
          disabled={machines.length === 0 || entries.length >= MOST}
          onClick={() => {
            const agent = unlisted[0] ?? machines[0];
            if (agent) onChange([...entries, { ...made(agent), ...(group && { group }) }]);
          }}
        >
          {s.addEntry}
        </Button>
        {unlisted.length > 1 && (
          <Button
            disabled={entries.length >= MOST}
            onClick={() => onChange([...entries, ...unlisted.map(made)].slice(0, MOST))}
          >
            {s.addAll(Math.min(unlisted.length, MOST - entries.length))}
          </Button>
        )}
      </div>
    </fieldset>
  );
}

interface FieldsProps {
  readonly entry: Entry;
  readonly known: readonly Known[];
  readonly machines: readonly string[];
  readonly nameOf: (uuid: string) => string;
  readonly publicName: (uuid: string) => string;
  readonly onChange: (entry: Entry) => void;
}

const keyOf = ({ type, target }: Probe) => keyOfProbe({ kind: type, target });

function EntryFields(props: FieldsProps) {
  const { entry, known, machines, nameOf, publicName, onChange } = props;
  const s = t.server.status;
  const probes = new Map<string, Probe>(
    known
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
