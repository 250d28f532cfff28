import { setImmediate as breathe } from 'node:timers/promises';
import {
  described,
  type Methods,
  needs,
  optional,
  type Principal,
  RpcError,
  Type,
} from '@svc/plugin-sdk';
import { trim } from '@svc/plugin-sdk/util';
import { visibleTo } from '../alerts/visible.ts';
import { AlertAnswer, MatcherSchema, NewSilence, SilenceAnswer } from '../schemas.ts';
import type { Matcher, Silence } from '../types.ts';
import { storedMatcher } from './matcher.ts';
import type { SettingsParts } from './parts.ts';
import { mayHide, maySeeSettings, type Scoped } from './rights.ts';

const LONGEST_MS = 366 * 86_400_000;
const SHOWN = 20;
const Id = Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER, description: 'Its id.' });

/** `alert_silence_create`, `_list`, `_end` and `_preview`. */
export function addSilenceMethods(methods: Methods, parts: SettingsParts): void {
  addChanges(methods, parts);
  addReads(methods, parts);
}

function addChanges(methods: Methods, parts: SettingsParts): void {
  const { auth, clock, owners, settings, changed } = parts;
  methods.add('alert_silence_create', {
    summary: 'Silences alerts for a time: they open and show, and nothing is sent.',
    description:
      'Needs `alert` `silence` of each agent that the scope names, or globally. It ends after a year at the latest. What is still open at its end, and was not told, is told then.',
    addition: true,
    params: { silence: described(NewSilence, 'The silence: its scope, reason and end.') },
    result: SilenceAnswer,
    audit: ({ silence }) => silence.reason,
    access: needs(({ silence }: { readonly silence: Scoped }) => mayHide('silence', silence.scope)),
    async handle({ silence }, { caller }) {
      const now = clock.now();
      const stored = await settings.silenceStore.insert({
        scope: storedMatcher(silence.scope as Matcher),
        reason: reasonOf(silence.reason),
        created_by: nameOf(caller),
        owner: owners.of(caller),
        created_at: now,
        ...timesOf(silence, now),
      });
      await changed('silence');
      return one(stored, parts, caller);
    },
  });
  methods.add('alert_silence_end', {
    summary: 'Ends a silence now.',
    addition: true,
    params: { id: Id },
    result: SilenceAnswer,
    audit: ({ id }) => String(id),
    right: {
      words:
        '`alert` `silence` of each agent that the scope of the silence names, or in the scope `global`',
      scopes: ['global'],
      permissions: [{ alert: 'silence' }],
    },
    access: {
      async custom({ id }, call) {
        const caller = await call.authenticate();
        const silence = await settings.silenceStore.find(id);
        const wanted = mayHide('silence', silence?.scope ?? {});
        if (!(await auth.allows(caller, wanted)))
          throw RpcError.denied('Missing alert silence permission in the scope of the silence');
        if (!silence) throw RpcError.notFound(`there is no silence ${id}`);
      },
    },
    async handle({ id }, { caller }) {
      const ended = await settings.silenceStore.end(id, nameOf(caller), clock.now());
      if (!ended) throw RpcError.invalid(`the silence ${id} has ended already`);
      await changed('silence');
      return one(ended, parts, caller);
    },
  });
}

function addReads(methods: Methods, parts: SettingsParts): void {
  const { auth, clock, settings, open } = parts;
  methods.add('alert_silence_list', {
    summary: 'The silences that the caller may see, with the open alerts that each hides now.',
    addition: true,
    params: {
      past: optional(
        Type.Boolean({ description: 'True: those of the last 90 days that have ended, too.' }),
      ),
    },
    result: Type.Array(SilenceAnswer),
    access: 'authenticated',
    async handle({ past }, { caller }) {
      const store = settings.silenceStore;
      const seen: Silence[] = [];
      for (const silence of await (past ? store.all() : store.current(clock.now()))) {
        if (await auth.allows(caller, maySeeSettings(silence.scope))) seen.push(silence);
        await breathe();
      }
      return answers(seen, parts, caller);
    },
  });
  methods.add('alert_silence_preview', {
    summary: 'Open alerts that a silence of this scope would hide now.',
    addition: true,
    params: { scope: MatcherSchema },
    result: Type.Object({
      hides: Type.Integer(),
      alerts: Type.Array(AlertAnswer, { description: `Some of them, at most ${SHOWN}.` }),
    }),
    access: needs(({ scope }: Scoped) => mayHide('silence', scope)),
    async handle({ scope }, { caller }) {
      const alerts = await open.hit(storedMatcher(scope as Matcher), visibleTo(parts, caller));
      const shown = alerts.slice(0, SHOWN).map(({ alert }) => parts.answer(alert, caller));
      return { hides: alerts.length, alerts: await Promise.all(shown) };
    },
  });
}

const nameOf = ({ name, id }: Principal): string => name ?? id;

const one = async (silence: Silence, parts: SettingsParts, caller: Principal) => {
  const [answer] = await answers([silence], parts, caller);
  if (!answer) throw new Error('a silence had no answer');
  return answer;
};

async function answers(silences: readonly Silence[], parts: SettingsParts, caller: Principal) {
  const { open, clock, settings } = parts;
  const now = clock.now();
  const holds = silences.filter(
    ({ id, starts_at, ends_at }) =>
      starts_at <= now && now < ends_at && !settings.silences.isSuspended(id),
  );
  const scopes = holds.map(({ scope }) => scope);
  const counts = await open.count(scopes, visibleTo(parts, caller));
  const hides = new Map(holds.map(({ id }, at) => [id, counts[at]]));
  return silences.map(({ owner: _owner, ...silence }) => ({
    ...silence,
    scope: wire(silence.scope),
    hides: hides.get(silence.id) ?? 0,
  }));
}

/** The matcher with arrays that the schema's type takes. */
export const wire = ({ rules, agents, tags, monitors, severity }: Matcher) => ({
  ...(rules && { rules: [...rules] }),
  ...(agents && { agents: [...agents] }),
  ...(tags && { tags: [...tags] }),
  ...(monitors && { monitors: [...monitors] }),
  ...(severity && { severity }),
});

function reasonOf(given: string): string {
  const reason = trim(given);
  if (reason === '') throw RpcError.invalid('a silence needs a reason that others understand');
  return reason;
}

function timesOf(
  { starts_at, ends_at }: { starts_at?: number | null | undefined; ends_at: number },
  now: number,
) {
  const starts = Math.max(starts_at ?? now, now);
  if (ends_at <= starts)
    throw RpcError.invalid('ends_at must be later than now and than starts_at');
  if (starts >= now + LONGEST_MS) throw RpcError.invalid('a silence begins within a year');
  return { starts_at: starts, ends_at: Math.min(ends_at, now + LONGEST_MS) };
}
