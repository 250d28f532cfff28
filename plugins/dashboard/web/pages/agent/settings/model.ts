import { useState } from 'preact/hooks';
import { type Resource, setValue, useMachines, usePoll, useServer } from '../../../frame/index.ts';
import { expiryOf } from '../../../parts/expiry.ts';
import { toast, useWork } from '../../../parts/index.ts';
import { DAY_MS, type Days, daysOf, LIMITED } from '../../../parts/kept-days.ts';
import { tagsIn } from '../../../parts/tag-list.ts';
import { t } from '../../../strings/index.ts';

export const keyOfLimit = (kind: (typeof LIMITED)[number]) => `database_limit_${kind}`;

/** Notes of people about a machine (kv.md §5.2). */
export const NOTES = [
  'metadata_name',
  'metadata_tags',
  'metadata_region',
  'metadata_expire_time',
  'metadata_price',
  'metadata_price_unit',
  'metadata_price_cycle',
] as const;

/** Values by their keys; those that are not there, or not for this token, are missing. */
export type Stored = Readonly<Record<string, unknown>>;

interface Metadata {
  /** Stores a value in the agent's namespace, which is made where there is none; undefined deletes it. */
  readonly save: (key: string, value: unknown) => Promise<void>;
  readonly mayWrite: (key: string) => boolean;
  readonly mayRead: (key: string) => boolean;
  /** A form shows what it may read and store. */
  readonly mayEdit: (key: string) => boolean;
}

/** Notes of people about an agent, and its limits: keys of the namespace with its UUID. */
export function useMetadata(uuid: string): Metadata {
  const server = useServer();
  const { refresh } = useMachines();
  const mayRead = (key: string) => server.has('kv') && server.covers('kv', 'read', uuid, key);
  const mayWrite = (key: string) =>
    server.has('kv') && server.may('kv_set_value', { namespace: uuid, key, value: '' }) !== false;
  return {
    mayRead,
    mayWrite,
    mayEdit: (key) => mayRead(key) && mayWrite(key),
    async save(key, value) {
      await setValue(server, uuid, key, value);
      await refresh();
    },
  };
}

/** Values that are stored of the machine, as far as the token may read it. */
export function useStored(uuid: string): Resource<Stored> {
  const { call } = useServer();
  const { mayRead } = useMetadata(uuid);
  const keys = [...NOTES, ...LIMITED.map(keyOfLimit)].filter(mayRead);
  return usePoll<Stored>(`stored ${uuid} ${keys.length}`, async (signal) => {
    if (keys.length === 0) return {};
    const namespace_key = keys.map((key) => ({ namespace: uuid, key }));
    const rows = await call('kv_get_multi_value', { namespace_key }, { signal });
    return Object.fromEntries(
      rows.filter(({ value }) => value !== null).map(({ key, value }) => [key, value]),
    );
  });
}

export interface PartProps {
  readonly uuid: string;
  readonly values: Stored;
  readonly onSaved: () => void;
}

/** Stores what has changed, one key after the other. */
export function useSaving({ uuid, values, onSaved }: PartProps) {
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

/** Notes as the fields have them. */
interface NotesDraft {
  readonly name: string;
  readonly tags: string;
  readonly region: string;
  readonly expires: string;
  readonly price: string;
  readonly unit: string;
  readonly cycle: string;
}

function notesOf(values: Stored): NotesDraft {
  const tags = values['metadata_tags'];
  return {
    name: textOf(values['metadata_name']),
    tags: Array.isArray(tags) ? tags.join(', ') : '',
    region: textOf(values['metadata_region']),
    expires: dateOf(values['metadata_expire_time']),
    price: textOf(values['metadata_price']),
    unit: textOf(values['metadata_price_unit']),
    cycle: textOf(values['metadata_price_cycle']),
  };
}

const textOf = (value: unknown): string =>
  typeof value === 'string' || typeof value === 'number' ? String(value) : '';
const textOrNone = (text: string): string | undefined =>
  text.trim() === '' ? undefined : text.trim();
const numberOrNone = (text: string): number | undefined =>
  text.trim() === '' ? undefined : Number(text);
/** Date as the browser's field has it. */
function dateOf(value: unknown): string {
  const end = expiryOf(value);
  if (end === undefined) return '';
  const date = new Date(end);
  const two = (count: number) => String(count).padStart(2, '0');
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
}

/** Draft of the notes. */
export function useNotesDraft(props: PartProps) {
  const { values } = props;
  const { run, ...saving } = useSaving(props);
  const [draft, setDraft] = useState(() => notesOf(values));
  const tags = tagsIn(draft.tags);
  const save = () =>
    run({
      metadata_name: textOrNone(draft.name),
      metadata_tags: tags.length === 0 ? undefined : tags,
      metadata_region: textOrNone(draft.region)?.toUpperCase(),
      // One that other front ends stored in their own form stays as it is.
      ...(draft.expires !== dateOf(values['metadata_expire_time']) && {
        metadata_expire_time: textOrNone(draft.expires),
      }),
      metadata_price: numberOrNone(draft.price),
      metadata_price_unit: textOrNone(draft.unit),
      metadata_price_cycle: numberOrNone(draft.cycle),
    });
  const change = (part: Partial<NotesDraft>) => setDraft((old) => ({ ...old, ...part }));
  return { draft, change, save, saving };
}

/** Choices of how long rows of this agent are kept; without one the server decides. */
export function useRetention(props: PartProps) {
  const { uuid, values } = props;
  const { mayEdit } = useMetadata(uuid);
  const { run, ...saving } = useSaving(props);
  const kinds = LIMITED.filter((kind) => mayEdit(keyOfLimit(kind)));
  const [chosen, setChosen] = useState<Readonly<Record<string, Days>>>(
    Object.fromEntries(kinds.map((kind) => [kind, daysOf(values[keyOfLimit(kind)])])),
  );
  const save = () =>
    run(
      Object.fromEntries(
        Object.entries(chosen)
          .filter(([, days]) => days !== 'other')
          .map(([kind, days]) => [
            `database_limit_${kind}`,
            days === '' ? undefined : Number(days) * DAY_MS,
          ]),
      ),
    );
  const choose = (kind: string, days: Days) => setChosen({ ...chosen, [kind]: days });
  return { kinds, chosen, choose, save, saving };
}
