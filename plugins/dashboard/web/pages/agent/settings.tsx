import { Tag } from 'lucide';
import { useState } from 'preact/hooks';
import { isMissing, Loaded, useMachines, usePoll, useServer } from '../../frame/index.ts';
import {
  Button,
  Card,
  Empty,
  ErrorNote,
  Select,
  TextField,
  toast,
  useWork,
} from '../../parts/index.ts';
import { DAY_MS, DAYS, type Days, daysOf } from '../../parts/kept-days.ts';
import { t } from '../../strings/index.ts';
import { useMetadata } from './metadata.ts';

/** How long each kind of row is kept; the names are those of keys of the namespace. */
const LIMITS = [
  'dynamic_monitoring_summary',
  'dynamic_monitoring',
  'static_monitoring',
  'task',
] as const;
const PATTERNS = ['metadata_*', 'database_limit_*'];

type Stored = Readonly<Record<string, unknown>>;

/** Notes about the agent, and how long its history is kept. */
export function Settings({ uuid }: { readonly uuid: string }) {
  const { call, has } = useServer();
  const stored = usePoll<Stored>(`settings ${uuid}`, async (signal) => {
    const namespace_key = PATTERNS.map((key) => ({ namespace: uuid, key }));
    try {
      const rows = await call('kv_get_multi_value', { namespace_key }, { signal });
      return Object.fromEntries(rows.map(({ key, value }) => [key, value]));
    } catch (error) {
      if (isMissing(error)) return {};
      throw error;
    }
  });
  if (!has('kv'))
    return (
      <Empty icon={Tag} title={t.frame.offTitle}>
        {t.frame.off('kv')}
      </Empty>
    );
  return (
    <Loaded of={stored} what={t.agent.settings.unreadable}>
      {(values) => (
        <div class="agent-columns">
          <Notes
            key={JSON.stringify(values)}
            uuid={uuid}
            values={values}
            onSaved={stored.refresh}
          />
          <Retention
            key={`kept ${JSON.stringify(values)}`}
            uuid={uuid}
            values={values}
            onSaved={stored.refresh}
          />
        </div>
      )}
    </Loaded>
  );
}

interface PartProps {
  readonly uuid: string;
  readonly values: Stored;
  readonly onSaved: () => void;
}

/** Stores what has changed, one key after the other. */
function useSaving({ uuid, values, onSaved }: PartProps) {
  const { save } = useMetadata(uuid);
  const { refresh } = useMachines();
  return useWork(async (changed: Stored) => {
    for (const [key, value] of Object.entries(changed))
      if (!isSame(value, values[key])) await save(key, value);
    toast(t.agent.settings.saved);
    onSaved();
    await refresh();
  });
}

/** A number that is shown in a field comes back as its text. */
const isSame = (value: unknown, stored: unknown) =>
  typeof value === 'object'
    ? JSON.stringify(value) === JSON.stringify(stored)
    : String(value ?? '') === String(stored ?? '');

const textOf = (value: unknown): string =>
  typeof value === 'string' || typeof value === 'number' ? String(value) : '';

function Notes(props: PartProps) {
  const { uuid, values } = props;
  const { mayWrite } = useMetadata(uuid);
  const { run: store, error, isBusy } = useSaving(props);
  const tags = values['metadata_tags'];
  const [name, setName] = useState(textOf(values['metadata_name']));
  const [words, setWords] = useState(Array.isArray(tags) ? tags.join(', ') : '');
  const [region, setRegion] = useState(textOf(values['metadata_region']));
  const [expires, setExpires] = useState(textOf(values['metadata_expire_time']));
  const isOpen = mayWrite('metadata_name');
  const s = t.agent.settings;
  const list = words
    .split(/[,，]/)
    .map((word) => word.trim())
    .filter((word) => word !== '');
  const submit = (event: Event) => {
    event.preventDefault();
    void store({
      metadata_name: name.trim() === '' ? undefined : name.trim(),
      metadata_tags: list.length === 0 ? undefined : list,
      metadata_region: region.trim() === '' ? undefined : region.trim().toUpperCase(),
      metadata_expire_time: expires === '' ? undefined : expires,
    });
  };
  return (
    <Card title={s.notes}>
      <form class="stack" onSubmit={submit}>
        <TextField label={t.agent.name} value={name} onText={setName} disabled={!isOpen} />
        <TextField
          label={s.tags}
          hint={s.tagsHint}
          value={words}
          onText={setWords}
          disabled={!isOpen}
        />
        <TextField
          label={s.region}
          hint={s.regionHint}
          value={region}
          onText={setRegion}
          disabled={!isOpen}
        />
        <TextField
          label={s.expires}
          hint={s.expiresHint}
          placeholder="2027-05-01"
          value={expires}
          onText={setExpires}
          disabled={!isOpen}
        />
        {error !== undefined && <ErrorNote error={error} what={s.failed} />}
        {isOpen ? (
          <div>
            <Button type="submit" kind="primary" busy={isBusy}>
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

/** How long rows of this agent are kept; without a choice the server decides. */
function Retention(props: PartProps) {
  const { uuid, values } = props;
  const { mayWrite } = useMetadata(uuid);
  const { run: store, error, isBusy } = useSaving(props);
  const [chosen, setChosen] = useState<Readonly<Record<string, Days>>>(
    Object.fromEntries(LIMITS.map((kind) => [kind, daysOf(values[`database_limit_${kind}`])])),
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
