import { useState } from 'preact/hooks';
import { Loaded, type Resource } from '../../../frame/index.ts';
import { Card, Select } from '../../../parts/index.ts';
import { DAY_MS, DAYS, type Days, daysOf } from '../../../parts/kept-days.ts';
import { t } from '../../../strings/index.ts';
import { keyOfLimit, LIMITS, NOTES, type Stored, useMetadata } from './model.ts';
import { Notes } from './notes.tsx';
import { type PartProps, Save, useSaving } from './saving.tsx';

interface Props {
  readonly uuid: string;
  readonly stored: Resource<Stored>;
}

/** Notes about the agent, and how long its history is kept: what the token may change. */
export function Settings({ uuid, stored }: Props) {
  const { mayEdit } = useMetadata(uuid);
  return (
    <Loaded of={stored} what={t.agent.settings.unreadable}>
      {(values) => {
        const parts = { uuid, values, onSaved: stored.refresh };
        return (
          <div class="agent-columns">
            {NOTES.some(mayEdit) && <Notes key={JSON.stringify(values)} {...parts} />}
            {LIMITS.map(keyOfLimit).some(mayEdit) && (
              <Retention key={`kept ${JSON.stringify(values)}`} {...parts} />
            )}
          </div>
        );
      }}
    </Loaded>
  );
}

/** How long rows of this agent are kept; without a choice the server decides. */
function Retention(props: PartProps) {
  const { uuid, values } = props;
  const { mayEdit } = useMetadata(uuid);
  const { run: store, ...saving } = useSaving(props);
  const kinds = LIMITS.filter((kind) => mayEdit(keyOfLimit(kind)));
  const [chosen, setChosen] = useState<Readonly<Record<string, Days>>>(
    Object.fromEntries(kinds.map((kind) => [kind, daysOf(values[keyOfLimit(kind)])])),
  );
  const s = t.agent.settings;
  const submit = (event: Event) => {
    event.preventDefault();
    const changed = Object.entries(chosen).filter(([, days]) => days !== 'other');
    void store(
      Object.fromEntries(
        changed.map(([kind, days]) => [
          `database_limit_${kind}`,
          days === '' ? undefined : Number(days) * DAY_MS,
        ]),
      ),
    );
  };
  return (
    <Card title={s.keep}>
      <form class="stack" onSubmit={submit}>
        <p class="muted">{s.keepHint}</p>
        {kinds.map((kind) => (
          <Select<Days>
            key={kind}
            label={s.kinds[kind]}
            value={chosen[kind] ?? ''}
            options={[...DAYS, ...(chosen[kind] === 'other' ? (['other'] as const) : [])].map(
              (days) => ({ value: days, label: s.kept(days) }),
            )}
            onChange={(days) => setChosen({ ...chosen, [kind]: days })}
          />
        ))}
        <Save {...saving} />
      </form>
    </Card>
  );
}
