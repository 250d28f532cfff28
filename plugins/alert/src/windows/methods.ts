import { setImmediate as breathe } from 'node:timers/promises';
import {
  DryRun,
  described,
  type Methods,
  needs,
  type Principal,
  RpcError,
  type Static,
  Type,
} from '@svc/plugin-sdk';
import { mayShowOn } from '../permissions.ts';
import { Name, NewWindow, Time, WindowAnswer, WindowChange } from '../schemas.ts';
import { wire } from '../silences/methods.ts';
import type { SettingsParts } from '../silences/parts.ts';
import { mayHide, maySeeSettings, type Scoped } from '../silences/rights.ts';
import type { MaintenanceWindow, Matcher } from '../types.ts';
import { contentOf } from './content.ts';
import { NextTimes } from './next.ts';
import { Schedule } from './times.ts';

const LONGEST_MS = 62 * 86_400_000;
const ATTEMPTS = 5;

interface WindowParts extends SettingsParts {
  readonly next: NextTimes;
}

/** `alert_window_create`, `_update`, `_delete`, `_list` and `_preview`. */
export function addWindowMethods(methods: Methods, given: SettingsParts): void {
  const parts = { ...given, next: new NextTimes() };
  addCreate(methods, parts);
  addChange(methods, parts);
  addReads(methods, parts);
}

function addCreate(methods: Methods, parts: WindowParts): void {
  const { clock, owners, settings, changed } = parts;
  methods.add('alert_window_create', {
    summary: 'Makes a maintenance window: once, or by a cron line, a duration and a time zone.',
    description:
      'Needs `alert` `write` of each agent that the scope names, or globally. Alerts open and show within it, and are not sent; what is still open at its end, and was not told, is told then. Needs `status_page` `write` of each slug in `public`.',
    addition: true,
    params: {
      window: described(NewWindow, 'The window: its times, scope and effect.'),
      dry_run: DryRun,
    },
    result: WindowAnswer,
    audit: ({ window, dry_run }) => (dry_run ? undefined : window.name),
    access: needs(({ window }: { readonly window: Scoped }) => mayHide('write', window.scope)),
    async handle({ window, dry_run }, { caller }) {
      const content = contentOf(window, { owner: owners.of(caller), now: clock.now() });
      await demandPages(content.public, caller, parts);
      if (dry_run) {
        await settings.windowStore.demandName(content.name);
        return answer({ ...content, id: 0, version: 0 }, { ...parts, next: new NextTimes() });
      }
      const added = await settings.windowStore.insert(content, clock.now());
      await changed('window');
      return answer(added, parts);
    },
  });
}

function addChange(methods: Methods, parts: WindowParts): void {
  const { settings, changed } = parts;
  methods.add('alert_window_update', {
    summary: 'Changes a maintenance window.',
    description:
      'Members that are absent stay as they are, null takes the default. Needs the right to the former scope and to the new one, and `status_page` `write` of each slug in `public`: the caller owns the window from then on.',
    addition: true,
    params: {
      name: Name,
      change: described(WindowChange, 'The members that change.'),
      dry_run: DryRun,
    },
    result: WindowAnswer,
    audit: ({ name, dry_run }) => (dry_run ? undefined : name),
    right: rightTo('; of the former scope and of the new one'),
    access: onNamed(parts, ({ change }) => change?.scope as Matcher | undefined),
    async handle({ name, change, dry_run }, { caller }) {
      const isDry = dry_run === true;
      const stored = await changeWindow(name, change, { ...parts, caller, isDry });
      if (isDry) return answer(stored, { ...parts, next: new NextTimes() });
      await changed('window');
      return answer(stored, parts);
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
  {
    caller,
    isDry,
    ...parts
  }: SettingsParts & { readonly caller: Principal; readonly isDry: boolean },
): Promise<MaintenanceWindow> {
  const { settings, clock, owners } = parts;
  const owner = owners.of(caller);
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const old = await settings.windowStore.find(name);
    if (!old) throw noWindow(name);
    const { id, version } = old;
    const content = contentOf(change, { owner, now: clock.now() }, old);
    await demandPages(content.public, caller, parts);
    if (isDry) {
      await settings.windowStore.demandName(content.name, id);
      return { ...content, id, version };
    }
    const stored = await settings.windowStore.change({ ...content, id, version }, clock.now());
    if (stored) return stored;
  }
  throw RpcError.other('the window is being changed by others; try again');
}

/** Whoever owns a window has to have the right to all pages that show it. @throws RpcError 102 */
async function demandPages(
  slugs: readonly string[],
  caller: Principal,
  { auth }: SettingsParts,
): Promise<void> {
  for (const slug of slugs) {
    const wanted = mayShowOn(slug);
    if (!(await auth.allows(caller, wanted))) throw RpcError.denied(wanted.denied);
  }
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

function addReads(methods: Methods, parts: WindowParts): void {
  const { auth, clock, owners, settings } = parts;
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
          seen.push(answer(window, parts));
        await breathe();
      }
      return seen;
    },
  });
  methods.add('alert_window_preview', {
    summary: 'Finds the times at which a maintenance window would hold.',
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
      const schedule = new Schedule(
        contentOf(window, { owner: owners.of(caller), now: clock.now() }),
      );
      const active = await schedule.between(from, to);
      return { active: active.map(([begins, ends]): [number, number] => [begins, ends]) };
    },
  });
}

const noWindow = (name: string) => RpcError.notFound(`there is no maintenance window '${name}'`);

function answer(
  window: MaintenanceWindow,
  { clock, next, settings }: WindowParts,
): Static<typeof WindowAnswer> {
  const { id, name, zone, once_from, once_to, cron, duration_s, effect, enable } = window;
  const now = clock.now();
  const ranges = next.of(window, now);
  const [first] = ranges;
  const isOn = enable && !settings.windows.isSuspended(id);
  return {
    ...{ id, name, scope: wire(window.scope), zone, cron, duration_s, effect, enable },
    once: once_from === null || once_to === null ? null : { from: once_from, to: once_to },
    public: [...window.public],
    active: isOn && first !== undefined && first[0] <= now,
    next: ranges.map(([begins, ends]): [number, number] => [begins, ends]),
  };
}
