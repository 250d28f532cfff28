import { Tag } from 'lucide';
import { useState } from 'preact/hooks';
import { Loaded, type Resource, useServer } from '../../frame/index.ts';
import { Button, Card, Empty, ErrorNote, Select } from '../../parts/index.ts';
import { DAY_MS, DAYS, type Days, daysOf } from '../../parts/kept-days.ts';
import { t } from '../../strings/index.ts';
import { keyOfLimit, LIMITS, NOTES, type Stored, useMetadata } from './metadata.ts';
import { Notes } from './notes.tsx';
import { type PartProps, useSaving } from './saving.ts';

interface Props {
  readonly uuid: string;
  readonly stored: Resource<Stored>;
}

/** Notes about the agent, and how long its history is kept. */
export function Settings({ uuid, stored }: Props) {
  const { has } = useServer();
  const { mayRead } = useMetadata(uuid);
  if (!has('kv'))
    return (
      <Empty icon={Tag} title={t.frame.offTitle}>
        {t.frame.off('kv')}
      </Empty>
    );
  return (
    <Loaded of={stored} what={t.agent.settings.unreadable}>
      {(values) => {
        const parts = { uuid, values, onSaved: stored.refresh };
        return (
          <div class="agent-columns">
            {NOTES.some(mayRead) && <Notes key={JSON.stringify(values)} {...parts} />}
            {LIMITS.map(keyOfLimit).some(mayRead) && (
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
  const { mayWrite } = useMetadata(uuid);
  const { run: store, error, isBusy } = useSaving(props);
  const [chosen, setChosen] = useState<Readonly<Record<string, Days>>>(
    Object.fromEntries(LIMITS.map((kind) => [kind, daysOf(values[keyOfLimit(kind)])])),
  );
  const s = t.agent.settings;
  const isOpen = mayWrite('database_limit_task');
  const label = (days: Days) =>
    days === ''
      ? s.byServer
      : days === '0'
        ? s.forEver
        : days === 'other'
          ? s.other
          : s.days(Number(days));
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
        {LIMITS.map((kind) => (
          <Select<Days>
            key={kind}
            label={s.kinds[kind]}
            value={chosen[kind] ?? ''}
            options={[...DAYS, ...(chosen[kind] === 'other' ? (['other'] as const) : [])].map(
              (days) => ({ value: days, label: label(days) }),
            )}
            onChange={(days) => setChosen({ ...chosen, [kind]: days })}
          />
        ))}
        {error !== undefined && <ErrorNote error={error} what={s.failed} />}
        {isOpen ? (
          <div>
            <Button type="submit" busy={isBusy}>
              {t.agent.save}
            </Button>
          </div>
        ) : (
          <p class="muted">{s.readOnly}</p>
        )}
      </form>
    </Card>
  );
}
