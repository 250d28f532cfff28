import { useState } from 'preact/hooks';
import { navigate, to, useServer } from '../../../frame/index.ts';
import { TYPED_MS, useAsked } from '../../../parts/asked.ts';
import type { Fault } from '../../../parts/code-field.tsx';
import { errorText, toast, useUnsavedWarning, useWork } from '../../../parts/index.ts';
import { t } from '../../../strings/index.ts';
import {
  isChecked,
  type Kind,
  type KindForm,
  type Monitor,
  type NewMonitor,
  type Tried,
} from '../model.ts';
import { guess, unfilled } from './guess.ts';

type Values = { readonly [name: string]: unknown };
type Places = Monitor['places'];

/** A monitor as it is edited; null is the default of the server. */
export interface Draft {
  /** What was typed into the one field. */
  readonly target: string;
  readonly kind: Kind;
  /** Tells whether people chose the kind, so that typing changes it no more. */
  readonly isChosen: boolean;
  readonly name: string;
  readonly isNamed: boolean;
  readonly spec: Values;
  /** What was typed; of a monitor that is there, only what changes. */
  readonly secret: Values;
  /** Secret fields of the monitor that is copied: nobody reads them, so they are typed again. */
  readonly asked: readonly string[];
  readonly group: string;
  readonly tags: readonly string[];
  readonly interval_s: number;
  readonly timeout_s: number | null;
  readonly retries: number | null;
  readonly retry_s: number | null;
  readonly recover_after: number | null;
  readonly places: Places;
  readonly down_when: number | null;
  readonly condition: string;
  readonly upside_down: boolean;
  readonly severity: Monitor['severity'];
  readonly note: string;
  /** Name of the monitor through which it is reached; empty: none, or one that is not for this reader. */
  readonly parent: string;
  readonly public_name: string;
  /** What a new one begins with; one that is there has its switch. */
  readonly enable: boolean;
}

export const INTERVALS_S = [10, 20, 30, 60, 120, 300, 600, 900, 1_800, 3_600] as const;
/** Registries are asked an hour apart at least. */
const DOMAIN_S = 43_200;
export const DOMAIN_INTERVALS_S = [3_600, 21_600, DOMAIN_S, 86_400] as const;

const BLANK: Draft = {
  ...{ target: '', kind: 'http', isChosen: false, name: '', isNamed: false, spec: {}, secret: {} },
  asked: [],
  ...{ group: '', tags: [], interval_s: 60, timeout_s: null, retries: null, retry_s: null },
  ...{ recover_after: null, parent: '', public_name: '', enable: true },
  ...{ places: { server: true }, down_when: null, condition: '', upside_down: false },
  ...{ severity: 'critical', note: '' },
};

/** Draft of a monitor that is there, to change or to copy. */
export const draftOf = (monitor: Monitor, isCopy = false): Draft => ({
  ...BLANK,
  ...monitor,
  target: '',
  isChosen: true,
  name: isCopy ? t.monitors.copyOf(monitor.name).slice(0, 80) : monitor.name,
  isNamed: true,
  secret: {},
  asked: isCopy ? Object.keys(monitor.secret) : [],
  group: monitor.group ?? '',
  condition: monitor.condition ?? '',
  parent: monitor.parent ?? '',
  public_name: monitor.public_name ?? '',
});

/** Interval of a draft that becomes of another kind: half a day is for domains. */
const intervalOf = ({ kind, interval_s }: Draft): number =>
  kind === 'domain' ? BLANK.interval_s : interval_s;

const isGiven = (value: unknown): boolean =>
  value !== undefined && value !== '' && !(Array.isArray(value) && value.length === 0);

const given = (values: Values): Values =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => isGiven(value)));

const orNull = (text: string): string | null => (text.trim() === '' ? null : text.trim());

/** What the server takes of a draft besides its name and kind. */
function membersOf(draft: Draft) {
  const { kind, group, tags, interval_s, timeout_s, retries, retry_s, places, ...rest } = draft;
  const { condition, upside_down, down_when, recover_after, severity, note, ...others } = rest;
  const { secret, spec, parent, public_name } = others;
  return {
    spec: given(spec),
    ...(Object.keys(given(secret)).length > 0 && { secret: given(secret) }),
    ...{ group: orNull(group), public_name: orNull(public_name), parent: orNull(parent) },
    ...{ tags: [...tags], severity, note },
    ...(isChecked(kind) && {
      ...{ interval_s, timeout_s, retries, retry_s, recover_after, upside_down, down_when },
      places: { ...places } as NonNullable<NewMonitor['places']>,
      condition: orNull(condition),
    }),
  };
}

export function monitorOf(draft: Draft): NewMonitor {
  const name = draft.name.trim();
  const { kind, enable } = draft;
  return { name: name === '' ? '-' : name, kind, enable, ...membersOf(draft) };
}

/** What changes of a monitor: its kind and its switch stay, and so does a parent that is not for this reader. */
function changeOf(draft: Draft, monitor: Monitor) {
  const { kind: _kind, enable: _enable, parent = null, ...change } = monitorOf(draft);
  return { ...change, ...(parent !== monitor.parent && { parent }) };
}

/** Fields that are required and empty. */
export const lacking = (draft: Draft, form: KindForm | undefined): readonly string[] => {
  const { asked, name, secret, spec } = draft;
  const isEmpty = (field: KindForm['fields'][number]) =>
    field.secret
      ? asked.includes(field.name) && !isGiven(secret[field.name])
      : field.required && !isGiven(spec[field.name]);
  return [
    ...(name.trim() === '' ? [t.monitors.name] : []),
    ...(form?.kind === 'heartbeat' && !isGiven(spec['period_s']) && !isGiven(spec['cron'])
      ? [t.monitors.calls.cronLine]
      : []),
    ...titles((form?.fields ?? []).filter(isEmpty)),
  ];
};

/** Names of fields as people read them. */
export const titles = (fields: KindForm['fields']): readonly string[] =>
  fields.map(({ name, title }) => t.monitors.titleOf(name, title));

/** Tells whether a trial goes without secrets that the server holds: it reads them for what is stored alone. */
export const isBlind = ({ secret }: Draft, monitor: Monitor | undefined): boolean =>
  Object.keys(monitor?.secret ?? {}).some(
    (name) => secret[name] === undefined || secret[name] === '',
  );

/** Monitor as it is edited: typed, tried, saved. */
export function useDraft(monitor: Monitor | undefined, start: Draft = BLANK) {
  const { call } = useServer();
  const [draft, setDraft] = useState(start);
  const [isChanged, setChanged] = useState(false);
  const [answer, setAnswer] = useState<Tried>();
  useUnsavedWarning(isChanged);
  const change = (part: Partial<Draft>) => {
    setChanged(true);
    setAnswer(undefined);
    setDraft((old) => ({ ...old, ...part }));
  };
  const type = (target: string) => {
    const found = guess(target, draft.isChosen ? draft.kind : undefined);
    if ('fault' in found) {
      const spec = unfilled(draft.kind, draft.spec);
      return change({ target, spec, ...(!draft.isNamed && { name: '' }) });
    }
    const isSame = found.kind === draft.kind;
    change({
      target,
      kind: found.kind,
      spec: isSame && isChecked(found.kind) ? { ...draft.spec, ...found.spec } : found.spec,
      ...(!draft.isNamed && { name: found.name }),
    });
  };
  const choose = (kind: Kind) => {
    const found = guess(draft.target, kind);
    const { spec, name } = 'fault' in found ? { spec: {}, name: '' } : found;
    change({
      kind,
      isChosen: true,
      spec,
      ...(kind !== draft.kind && { interval_s: kind === 'domain' ? DOMAIN_S : intervalOf(draft) }),
      ...{ secret: {}, asked: [], condition: '' },
      ...(!draft.isNamed && { name }),
    });
  };
  const trying = useWork(async () => {
    const isStored = monitor !== undefined && !isChanged;
    setAnswer(
      await call('monitor_try', isStored ? { name: monitor.name } : { monitor: monitorOf(draft) }),
    );
  });
  const saving = useWork(async () => {
    const made = monitorOf(draft);
    if (monitor) {
      const change = changeOf(draft, monitor);
      const { emptied } = await call('monitor_update', { name: monitor.name, change });
      if (emptied.length > 0) toast(t.monitors.emptied(emptied.join(', ')), { kind: 'bad' });
    } else await call('monitor_create', { monitor: made });
    toast(t.monitors.saved(made.name));
    setChanged(false);
    navigate(to('monitors', made.name), { replace: true });
  });
  return { draft, answer, isChanged, change, type, choose, trying, saving };
}

/** Check of a condition while it is typed: a create, or a change, that changes nothing. */
export function useCondition(draft: Draft, monitor: Monitor | undefined) {
  const { call } = useServer();
  const condition = draft.condition.trim();
  const found = useAsked(
    condition === '' ? undefined : `${draft.kind} ${condition}`,
    TYPED_MS,
    async () => {
      try {
        await (monitor
          ? call('monitor_update', { name: monitor.name, change: { condition }, dry_run: true })
          : call('monitor_create', { monitor: monitorOf(draft), dry_run: true }));
      } catch (error) {
        return faultOf(errorText(error));
      }
      return { errors: [] };
    },
  );
  return condition === '' ? {} : found;
}

/** Fault of a condition in what the server says; other mistakes show when it is saved. */
function faultOf(text: string): { readonly errors: readonly Fault[] } {
  const found = /^condition, characters (\d+) to (\d+): (.*)$/s.exec(text);
  if (!found) return { errors: [] };
  const [, from = '0', to = '0', message = ''] = found;
  return { errors: [{ from: Number(from), to: Number(to), message }] };
}
