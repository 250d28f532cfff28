import type { MonitorHistory } from '@svc/plugin-monitor/api';
import { type Auth, described, type Methods, needs, type Static, Type } from '@svc/plugin-sdk';
import type { Owners } from '@svc/plugin-token/api';
import type { Changes } from '../changes.ts';
import { isMonitor, type Page } from '../page.ts';
import { mayDo, maySeeMonitor } from '../permissions.ts';
import type { Records } from '../records.ts';
import { NewPage, PageAnswer, PageChange, Slug } from '../schemas.ts';

export interface MethodParts {
  readonly auth: Auth;
  readonly changes: Changes;
  readonly owners: Owners;
  /** undefined: this server has no monitors. */
  readonly monitors: MonitorHistory | undefined;
  readonly records: Records;
}

const on = (word: Parameters<typeof mayDo>[0]) =>
  needs(({ slug }: { readonly slug: string }) => mayDo(word, slug));

/** `status-page_create`, `_update`, `_delete`, `_get` and `_list`. */
export function addPageMethods(methods: Methods, parts: MethodParts): void {
  addWrites(methods, parts);
  addReads(methods, parts);
}

function addWrites(methods: Methods, parts: MethodParts): void {
  const { changes } = parts;
  methods.add('status-page_create', {
    summary: 'Makes a public page of these agents, probes and monitors.',
    description:
      'Takes the right to read what each entry shows, as well. The caller owns the page: an entry that the owner may not read any more is not shown.',
    addition: true,
    params: { slug: Slug, page: described(NewPage, 'Title, what it shows, and its settings.') },
    result: PageAnswer,
    audit: ({ slug }) => slug,
    access: on('write'),
    handle: async ({ slug, page }, { caller }) =>
      answer(parts, await changes.create(slug, page, caller)),
  });
  methods.add('status-page_update', {
    summary: 'Changes a page; the caller owns it from then on.',
    description:
      'Members that are absent stay as they are, null takes the default. Takes the right to read what each entry shows, those that stay included.',
    addition: true,
    params: {
      slug: Slug,
      page: described(PageChange, 'What becomes different; null: the default.'),
    },
    result: PageAnswer,
    audit: ({ slug }) => slug,
    access: on('write'),
    handle: async ({ slug, page }, { caller }) =>
      answer(parts, await changes.update(slug, page, caller)),
  });
  methods.add('status-page_delete', {
    summary: 'Deletes a page with its incidents.',
    addition: true,
    params: { slug: Slug },
    result: Type.Object({ success: Type.Boolean() }),
    audit: ({ slug }) => slug,
    access: on('delete'),
    async handle({ slug }) {
      await changes.remove(slug);
      return { success: true };
    },
  });
}

function addReads(methods: Methods, parts: MethodParts): void {
  const { auth, changes, records } = parts;
  methods.add('status-page_get', {
    summary: 'A page as `status-page_update` takes it.',
    addition: true,
    params: { slug: Slug },
    result: PageAnswer,
    access: on('read'),
    handle: async ({ slug }) => answer(parts, await changes.page(slug)),
  });
  methods.add('status-page_list', {
    summary: 'The pages that the caller may read.',
    addition: true,
    params: {},
    result: Type.Array(
      Type.Object({
        slug: Slug,
        title: Type.String(),
        entries: Type.Integer({ description: 'How many it lists.' }),
        updated_at: Type.Integer({ description: 'Unix ms.' }),
      }),
    ),
    access: 'authenticated',
    async handle(_params, { caller }) {
      const pages = [];
      for (const { slug, settings, updated_at } of records.list()) {
        if (!(await auth.allows(caller, mayDo('read', slug)))) continue;
        const { title, entries } = settings;
        pages.push({ slug, title, entries: entries.length, updated_at });
      }
      return pages;
    },
  });
}

async function answer(parts: MethodParts, stored: Page): Promise<Static<typeof PageAnswer>> {
  const { slug, settings, logo, owner, updated_at } = stored;
  const entries = settings.entries.map(({ name, ...entry }) => ({
    ...entry,
    ...(name !== '' && { name }),
  }));
  const { zone, ...rest } = settings;
  // What earlier versions answered is answered as they did.
  const page = { ...rest, entries, logo, ...(zone !== 'UTC' && { zone }) };
  const monitors = await monitorsOf(parts, stored);
  return {
    ...{ slug, page, updated_at },
    ...(owner !== null && { owner }),
    ...(monitors.length > 0 && { monitors }),
  };
}

type MonitorStates = NonNullable<Static<typeof PageAnswer>['monitors']>;

/** Returns whether readers see the monitors of a page. */
async function monitorsOf(
  { monitors, owners }: MethodParts,
  { settings, owner }: Page,
): Promise<MonitorStates> {
  const entries = settings.entries.filter(isMonitor);
  if (!monitors) return entries.map(({ key }) => ({ key, state: 'asleep' }));
  const found = await monitors.find(entries.map(({ monitor }) => monitor));
  const states: MonitorStates = [];
  for (const { key, monitor } of entries) {
    const named = found.get(monitor);
    const isSeen = named && (await owners.may(owner, maySeeMonitor(named.name)));
    states.push({ key, state: !named ? 'gone' : isSeen ? 'shown' : 'denied' });
  }
  return states;
}
