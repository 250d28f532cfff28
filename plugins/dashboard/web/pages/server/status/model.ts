import type { Methods } from '@svc/client';
import { useState } from 'preact/hooks';
import { navigate, to, useMachines, usePoll, useServer } from '../../../frame/index.ts';
import { grouped } from '../../../parts/grouped.ts';
import { attempt, toast, useWork } from '../../../parts/index.ts';
import type { ListedMonitor } from '../../../parts/monitor/listed.ts';
import { t } from '../../../strings/index.ts';

export type Shown = Methods['status-page_get']['result'];
export type Page = Methods['status-page_create']['params']['page'];
export type Entry = Page['entries'][number];
export type Incident = Methods['status-page_incident_list']['result'][number];

export const listAt = () => to('server', 'status');
export const pageAt = (slug: string) => to('server', 'status', slug);

export function useStatusPages() {
  const { call } = useServer();
  return usePoll('status pages', () => call('status-page_list'));
}

export function useStatusPage(slug: string) {
  const { call } = useServer();
  return usePoll(`status page ${slug}`, () => call('status-page_get', { slug }));
}

const SLUG = /^[a-z0-9]+(?:-[a-z0-9]+)*$/;

/** Draft of a page that is there, or of a new one. */
export function useDraft(shown: Shown | undefined, onSaved: (slug: string) => void) {
  const { call, may } = useServer();
  const [slug, setSlug] = useState(shown?.slug ?? '');
  const [page, setPage] = useState<Page>(shown?.page ?? { title: '', entries: [] });
  const isSlug = SLUG.test(slug) && slug.length <= 40;
  const lacksMonitor = page.entries.some(({ monitor }) => monitor === NO_MONITOR);
  const save = useWork(
    async () => {
      await call(shown ? 'status-page_update' : 'status-page_create', { slug, page });
      toast(t.server.status.saved);
    },
    () => onSaved(slug),
  );
  return {
    ...{ slug, setSlug, page, isSlug, save },
    change: (part: Partial<Page>) => setPage({ ...page, ...part }),
    mayWrite: !shown || may('status-page_update', { slug: shown.slug, page: {} }) !== false,
    isReady: isSlug && page.title.trim() !== '' && !lacksMonitor,
    lacksMonitor,
  };
}

/** Deletes a page; it can be written again as it was, with its incidents. */
export function useDeletion({ slug, page }: Shown) {
  const { call } = useServer();
  const s = t.server.status;
  return async () => {
    const incidents = await call('status-page_incident_list', { slug });
    await call('status-page_delete', { slug });
    const restore = async () => {
      try {
        await call('status-page_create', { slug, page });
        for (const { id: _id, updated_at: _at, auto: _auto, ...incident } of incidents.toReversed())
          await call('status-page_incident_add', { slug, incident });
        navigate(pageAt(slug));
      } catch (error) {
        toast(`${s.notBack} ${String(error)}`, { kind: 'bad' });
      }
    };
    toast(s.removed(page.title), { action: { label: s.undo, run: () => void restore() } });
    navigate(listAt());
  };
}

/** The server takes no more. */
const MOST = 40;
/** Id in a draft of an entry whose monitor is not chosen yet. */
export const NO_MONITOR = 0;

/** Entries of a page and what can be done with them; each change is a new list. */
export function useEntries(
  entries: readonly Entry[],
  onChange: (entries: Entry[]) => void,
  monitors: readonly ListedMonitor[],
) {
  const { list = [], of, nameOf } = useMachines();
  const machines = list.map(({ uuid }) => uuid);
  /** A name that the public may read: one that people gave, never the host's own. */
  const publicName = (agent: string): string =>
    of(agent)?.given_name ?? t.server.status.machineNumber(machines.indexOf(agent) + 1);
  const made = (agent: string): Entry => ({ name: publicName(agent), agent });
  const unlisted = machines.filter(
    (uuid) => !entries.some(({ agent, probe }) => agent === uuid && !probe),
  );
  const next = unlisted[0] ?? machines[0];
  const group = entries.at(-1)?.group;
  const isFull = entries.length >= MOST;
  const used = new Set(entries.map(({ monitor }) => monitor));
  const unused = monitors.filter(({ id }) => !used.has(id));
  const heading = { ...(group && { group }) };
  return {
    ...{ machines, nameOf, publicName, isFull },
    hasUnnamed: entries.some(({ agent }) => agent && of(agent)?.given_name === null),
    /** Name for whoever edits the page. */
    titleOf: (entry: Entry): string =>
      entry.name ?? monitors.find(({ id }) => id === entry.monitor)?.name ?? '',
    put: (at: number, entry: Entry) => onChange(entries.with(at, entry)),
    swap: (at: number, other: number) => {
      const [a, b] = [entries[at], entries[other]];
      if (a && b) onChange(entries.with(at, b).with(other, a));
    },
    remove: (at: number) => onChange(entries.toSpliced(at, 1)),
    add:
      next === undefined || isFull
        ? undefined
        : () => onChange([...entries, { ...made(next), ...heading }]),
    /** Adds an entry whose monitor is to be chosen; undefined: there is none to add. */
    addMonitor:
      monitors.length === 0 || isFull
        ? undefined
        : () => onChange([...entries, { monitor: NO_MONITOR, ...heading }]),
    /** Monitors that are not there yet, by their group; those without one below the empty name. */
    unused: grouped(unused, ({ group }) => group ?? ''),
    /** Adds monitors, as many as the page takes. Their groups are no headings: nothing of a monitor is public by itself. */
    addMonitors: (some: readonly ListedMonitor[]) =>
      onChange([...entries, ...some.map(({ id }) => ({ monitor: id }))].slice(0, MOST)),
    /** Count of the machines that `addAll` adds; undefined: there are not several. */
    more: unlisted.length > 1 ? Math.min(unlisted.length, MOST - entries.length) : undefined,
    addAll: () => onChange([...entries, ...unlisted.map(made)].slice(0, MOST)),
  };
}

/** Incidents of a page and what can be done with them. */
export function useIncidents(slug: string) {
  const { call, may } = useServer();
  const s = t.server.status;
  const found = usePoll(`incidents ${slug}`, () => call('status-page_incident_list', { slug }));
  const change = async (work: () => Promise<unknown>) => {
    await attempt(work);
    found.refresh();
  };
  return {
    found,
    mayWrite: may('status-page_incident_delete', { slug, id: 1 }) !== false,
    publish: ({ id }: Incident) =>
      change(() => call('status-page_incident_update', { slug, id, incident: { draft: false } })),
    remove: ({ id, updated_at: _at, auto, ...incident }: Incident) =>
      change(async () => {
        await call('status-page_incident_delete', { slug, id });
        // Another one would not end with its outage.
        if (auto) return toast(s.incidentRemoved);
        const restore = () => change(() => call('status-page_incident_add', { slug, incident }));
        toast(s.incidentRemoved, { action: { label: s.undo, run: () => void restore() } });
      }),
    end: ({ id }: Incident) =>
      change(() =>
        call('status-page_incident_update', { slug, id, incident: { ends_at: Date.now() } }),
      ),
  };
}

/** Saves an incident; `old` undefined: a new one. */
export function useIncidentSave(slug: string, old: Incident | undefined) {
  const { call } = useServer();
  return (incident: Methods['status-page_incident_add']['params']['incident']) =>
    old
      ? call('status-page_incident_update', { slug, id: old.id, incident })
      : call('status-page_incident_add', { slug, incident });
}
