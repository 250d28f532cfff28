import { described, type Methods, needs, RpcError, type Static, Type } from '@svc/plugin-sdk';
import { Name, NewWindow, Time, WindowAnswer, WindowChange } from '../schemas.ts';
import { wire } from '../silences/methods.ts';
import type { SettingsParts } from '../silences/parts.ts';
import { mayHide, maySeeSettings, type Scoped } from '../silences/rights.ts';
import type { MaintenanceWindow, Matcher } from '../types.ts';
import { contentOf } from './content.ts';
import { Schedule } from './times.ts';

const LONGEST_MS = 62 * 86_400_000;
const TO_COME = 5;
const ATTEMPTS = 5;

/** `alert_window_create`, `_update`, `_delete`, `_list` and `_preview`. */
export function addWindowMethods(methods: Methods, parts: SettingsParts): void {
  addCreate(methods, parts);
  addChange(methods, parts);
  addReads(methods, parts);
}

function addCreate(methods: Methods, { clock, owners, settings, changed }: SettingsParts): void {
  methods.add('alert_window_create', {
    summary: 'Makes a maintenance window: once, or by a cron line, a duration and a time zone.',
    description:
      'Needs `alert` `write` of each agent that the scope names, or globally. Alerts open and show within it, and are not sent; what is still open at its end, and was not told, is told then.',
    addition: true,
    params: { window: described(NewWindow, 'When it holds, and for what.') },
    result: WindowAnswer,
    audit: ({ window }) => window.name,
    access: needs(({ window }: { readonly window: Scoped }) => mayHide('write', window.scope)),
    async handle({ window }, { caller }) {
      const content = contentOf(window, owners.of(caller));
      const added = await settings.windowStore.insert(content, clock.now());
      await changed('window');
      return answer(added, clock.now());
    },
  });
}

function addChange(methods: Methods, parts: SettingsParts): void {
  const { clock, settings, changed } = parts;
  methods.add('alert_window_update', {
    summary: 'Changes a maintenance window.',
    description:
      'Members that are absent stay as they are, null takes the default. Needs the right to the former scope and to the new one.',
    addition: true,
    params: { name: Name, change: described(WindowChange, 'What becomes different.') },
    result: WindowAnswer,
    audit: ({ name }) => name,
    right: rightTo('; of the former scope and of the new one'),
    access: onNamed(parts, ({ change }) => change?.scope as Matcher | undefined),
    async handle({ name, change }, { caller }) {
      const stored = await changeWindow(name, change, { ...parts, owner: parts.owners.of(caller) });
      await changed('window');
      return answer(stored, clock.now());
    },
  });
  methods.add('alert_window_delete', {
    summary: 'Deletes a maintenance window.',
    addition: true,
    params: { name: Name },
    result: Type.Object({ success: Type.Boolean() }),
    audit: ({ name }) => name,
    right: rightTo(),
    access: onNamed(parts, () => undefined),
    async handle({ name }) {
      if (!(await settings.windowStore.remove(name))) throw noWindow(name);
      await changed('window');
      return { success: true };
    },
  });
}

async function changeWindow(
  name: string,
  change: Static<typeof WindowChange>,
  { settings, clock, owner }: SettingsParts & { readonly owner: string | null },
): Promise<MaintenanceWindow> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const old = await settings.windowStore.find(name);
    if (!old) throw noWindow(name);
    const { id, version } = old;
    const content = contentOf(change, owner, old);
    const stored = await settings.windowStore.change({ ...content, id, version }, clock.now());
    if (stored) return stored;
  }
  throw RpcError.other('the window is being changed by others; try again');
}

const rightTo = (besides = '') => ({
  words: `\`alert\` \`write\` of each agent that the scope of the window names, or in the scope \`global\`${besides}`,
  scopes: ['global'] as const,
  permissions: [{ alert: 'write' }],
});

/** The right to the scope of a window that is there, and to the one that it gets. Without it nobody learns which windows there are. */
const onNamed = <I extends { readonly name: string; readonly change?: { scope?: unknown } }>(
  { auth, settings }: SettingsParts,
  newScope: (input: I) => Matcher | undefined,
) => ({
  async custom(
    input: I,
    call: { authenticate(): ReturnType<SettingsParts['auth']['authenticate']> },
  ): Promise<void> {
    const caller = await call.authenticate();
    const window = await settings.windowStore.find(input.name);
    for (const scope of [window?.scope ?? {}, newScope(input)]) {
      const wanted = scope && mayHide('write', scope);
      if (wanted && !(await auth.allows(caller, wanted)))
        throw RpcError.denied('Missing alert write permission in the scope of the window');
    }
    if (!window) throw noWindow(input.name);
  },
});

function addReads(methods: Methods, { auth, clock, owners, settings }: SettingsParts): void {
  methods.add('alert_window_list', {
    summary: 'The maintenance windows that the caller may see, each with its next five times.',
    addition: true,
    params: {},
    result: Type.Array(WindowAnswer),
    access: 'authenticated',
    async handle(_params, { caller }) {
      const seen = [];
      for (const window of await settings.windowStore.all()) {
        if (await auth.allows(caller, maySeeSettings(window.scope)))
          seen.push(answer(window, clock.now()));
      }
      return seen;
    },
  });
  methods.add('alert_window_preview', {
    summary: 'When a maintenance window would hold.',
    addition: true,
    params: {
      window: described(NewWindow, 'The window; nothing is stored.'),
      from: Time(),
      to: Time('Unix ms, at most 62 days after `from`.'),
    },
    result: Type.Object({ active: Type.Array(Type.Tuple([Time(), Time()])) }),
    access: 'authenticated',
    async handle({ window, from, to }, { caller }) {
      if (to <= from) throw RpcError.invalid('to must be later than from');
      if (to - from > LONGEST_MS) throw RpcError.invalid('ask for at most 62 days');
      const schedule = new Schedule(contentOf(window, owners.of(caller)));
      const active = await schedule.between(from, to);
      return { active: active.map(([begins, ends]): [number, number] => [begins, ends]) };
    },
  });
}

const noWindow = (name: string) => RpcError.notFound(`there is no maintenance window '${name}'`);

function answer(window: MaintenanceWindow, now: number): Static<typeof WindowAnswer> {
  const { id, name, zone, once_from, once_to, cron, duration_s, effect, enable } = window;
  const ranges = new Schedule(window).ranges(now, TO_COME);
  const [first] = ranges;
  return {
    ...{ id, name, scope: wire(window.scope), zone, cron, duration_s, effect, enable },
    once: once_from === null || once_to === null ? null : { from: once_from, to: once_to },
    public: [...window.public],
    active: enable && first !== undefined && first[0] <= now,
    next: ranges.map(([begins, ends]): [number, number] => [begins, ends]),
  };
}
