import { useState } from 'preact/hooks';
import { usePoll, useServer } from '../../../frame/index.ts';
import { Select, TextArea, TextField } from '../../../parts/index.ts';
import type { ListedMonitor } from '../../../parts/monitor/listed.ts';
import { t } from '../../../strings/index.ts';
import { type Entry, NO_MONITOR, type Shown } from './model.ts';

type Auto = NonNullable<Entry['auto_incident']>;
/** Whether readers see an entry, as the server said last. */
export type Seen = NonNullable<Shown['monitors']>[number]['state'];

interface Props {
  readonly entry: Entry;
  readonly monitors: readonly ListedMonitor[];
  readonly seen: Seen | undefined;
  readonly onChange: (entry: Entry) => void;
}

/** Fields of an entry that shows a monitor. */
export function MonitorFields({ entry, monitors, seen, onChange }: Props) {
  const s = t.server.status;
  return (
    <div class="server-rules">
      <PublicName {...{ entry, monitors, onChange }} />
      <TextField
        label={s.group}
        value={entry.group ?? ''}
        onText={(group) => onChange({ ...entry, group: group === '' ? null : group })}
      />
      <MonitorChoice {...{ entry, monitors, seen, onChange }} />
      <AutoFields
        auto={entry.auto_incident ?? undefined}
        onChange={(auto) => onChange({ ...entry, auto_incident: auto ?? null })}
      />
    </div>
  );
}

/** What readers see. A monitor's own name is never public: where it has no public one, this asks for it. */
function PublicName({ entry, monitors, onChange }: Omit<Props, 'seen'>) {
  const { call } = useServer();
  const s = t.server.status;
  const { name } = monitors.find(({ id }) => id === entry.monitor) ?? {};
  const { data } = usePoll(`public name of ${name}`, async () =>
    name === undefined ? undefined : (await call('monitor_get', { name })).public_name,
  );
  const hint = data ? s.publicNameHint(data) : data === null && name && s.publicNameWanted(name);
  return (
    <TextField
      label={s.shownAs}
      value={entry.name ?? ''}
      hint={hint || undefined}
      placeholder={data ?? ''}
      required={data === null}
      onText={(text) => onChange({ ...entry, name: text === '' ? null : text })}
    />
  );
}

/** Field that finds a monitor by what is typed, and says what it says now. */
function MonitorChoice({ entry, monitors, seen, onChange }: Props) {
  const s = t.server.status;
  const chosen = monitors.find(({ id }) => id === entry.monitor);
  const [typed, setTyped] = useState<string>();
  const text = typed ?? chosen?.name ?? '';
  const hint = chosen ? s.monitorStates[chosen.state] : seen && s.monitorSeen[seen];
  const isUnknown = typed !== undefined && typed !== '';
  return (
    <TextField
      label={s.monitor}
      type="search"
      value={text}
      offered={monitors.map(({ name }) => name)}
      placeholder={s.findMonitor}
      autofocus={entry.monitor === NO_MONITOR}
      hint={seen === 'denied' ? s.monitorSeen.denied : hint}
      error={isUnknown ? s.monitorUnknown : undefined}
      onText={(name) => {
        const found = monitors.find((one) => one.name === name);
        setTyped(found ? undefined : name);
        onChange({ ...entry, monitor: found?.id ?? NO_MONITOR });
      }}
    />
  );
}

interface AutoProps {
  readonly auto: Auto | undefined;
  readonly onChange: (auto: Auto | undefined) => void;
}

function AutoFields({ auto, onChange }: AutoProps) {
  const s = t.server.status;
  const minutes = (member: 'after_minutes' | 'reopen_minutes', otherwise: number) => ({
    type: 'number' as const,
    min: 0,
    value: String(auto?.[member] ?? otherwise),
    onText: (text: string) =>
      auto && onChange({ ...auto, [member]: text === '' ? null : Math.round(Number(text)) }),
  });
  return (
    <>
      <Select
        label={s.auto}
        value={auto?.as ?? 'off'}
        options={(['off', 'draft', 'publish'] as const).map((value) => ({
          value,
          label: s.autos[value],
        }))}
        onChange={(as) => onChange(as === 'off' ? undefined : { ...auto, as })}
      />
      {auto && (
        <>
          <TextField label={s.autoAfter} {...minutes('after_minutes', 5)} />
          <TextField
            label={s.autoReopen}
            hint={s.autoReopenHint}
            {...minutes('reopen_minutes', 30)}
          />
          <TextField
            label={s.autoTitle}
            value={auto.title ?? ''}
            hint={s.autoTitleHint}
            onText={(title) => onChange({ ...auto, title })}
          />
          <TextArea
            label={s.text}
            rows={3}
            value={auto.text ?? ''}
            hint={s.textHint}
            onText={(text) => onChange({ ...auto, text })}
          />
        </>
      )}
    </>
  );
}
