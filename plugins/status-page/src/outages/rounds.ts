import type { MonitorHistory, MonitorOutage } from '@svc/plugin-monitor/api';
import type { Clock } from '@svc/plugin-sdk';
import type { Owners } from '@svc/plugin-token/api';
import type { Shown } from '../live/gather.ts';
import { publicName } from '../live/monitor-row.ts';
import { type AutoIncident, isMonitor, type Language, type Page } from '../page.ts';
import { fill } from '../view/fill.ts';
import { Format } from '../words/format.ts';
import { wordsOf } from '../words/index.ts';
import type { OutageIncident, OutageIncidents } from './store.ts';

export const ROUND_MS = 10_000;
const MINUTE_MS = 60_000;
/** Characters of a text that another outage may add to. */
const MOST_TEXT = 900;

export interface RoundsParts {
  readonly clock: Clock;
  readonly owners: Owners;
  readonly history: MonitorHistory;
  readonly store: OutageIncidents;
  readonly pages: () => readonly Page[];
  /** Entries that the owner of a page may see now. */
  readonly visible: (page: Page) => Promise<readonly Shown[]>;
  readonly changed: (slug: string) => Promise<void>;
}

/** Entry whose outages make incidents. */
interface Wanted {
  readonly page: Page;
  readonly monitor: number;
  /** What readers see it as. */
  readonly name: string;
  readonly auto: AutoIncident;
}

/** Rounds that make incidents of outages and end them. Every server makes them; a change is made by one. */
export class OutageRounds {
  readonly #parts: RoundsParts;

  constructor(parts: RoundsParts) {
    this.#parts = parts;
  }

  /** @throws RpcError 103 */
  async run(): Promise<void> {
    const { history, changed } = this.#parts;
    const slugs = new Set(await this.#endAll());
    const wanted = await this.#wanted();
    const newest = await history.newestOutages([...new Set(wanted.map(({ monitor }) => monitor))]);
    const byMonitor = new Map(newest.map((outage) => [outage.monitor_id, outage]));
    for (const one of wanted) {
      const outage = byMonitor.get(one.monitor);
      if (outage && (await this.#make(one, outage))) slugs.add(one.page.slug);
    }
    for (const slug of slugs) await changed(slug);
  }

  /** Ends incidents whose outage is over, or has gone with its monitor. @returns pages that changed */
  async #endAll(): Promise<string[]> {
    const { clock, history, store } = this.#parts;
    const open = await store.open();
    const outages = await history.outages(open.map(({ outage }) => outage));
    const byId = new Map(outages.map((outage) => [outage.id, outage]));
    const slugs: string[] = [];
    for (const incident of open) {
      const outage = byId.get(incident.outage);
      if (outage?.to_at === null) continue;
      const now = clock.now();
      const end = { ends_at: outage?.to_at ?? now, updated_at: now };
      if (await store.end(incident, end)) slugs.push(incident.slug);
    }
    return slugs;
  }

  async #wanted(): Promise<Wanted[]> {
    const { owners, pages, visible } = this.#parts;
    const found: Wanted[] = [];
    for (const page of pages()) {
      const isAuto = page.settings.entries.some((one) => isMonitor(one) && one.auto_incident);
      if (!isAuto || (await owners.isSuspended(page.owner))) continue;
      for (const { entry, monitor } of await visible(page)) {
        if (!monitor || !isMonitor(entry) || !entry.auto_incident) continue;
        const name = publicName(entry, monitor);
        found.push({ page, monitor: monitor.id, name, auto: entry.auto_incident });
      }
    }
    return found;
  }

  async #make(wanted: Wanted, outage: MonitorOutage): Promise<boolean> {
    const { clock, store } = this.#parts;
    const { page, monitor, name, auto } = wanted;
    const now = clock.now();
    const lasts = now - outage.from_at >= auto.after_minutes * MINUTE_MS;
    if (outage.to_at !== null || !lasts) return false;
    const last = await store.newest(page.slug, monitor);
    if (last && (last.outage >= outage.id || last.ends_at === null)) return false;
    if (last && isSoonAfter(last, outage, auto)) {
      const text = textAgain(page, last.text, outage.from_at);
      return store.reopen(last, { outage: outage.id, text, updated_at: now });
    }
    const { autoTitle } = wordsOf(languageOf(page));
    return store.add(
      { slug: page.slug, monitor, outage: outage.id },
      {
        ...{ title: auto.title || fill(autoTitle, { name }), text: auto.text, impact: 'down' },
        ...{ begins_at: outage.from_at, ends_at: null, updated_at: now },
        draft: auto.as === 'draft',
      },
    );
  }
}

const isSoonAfter = (
  { ends_at }: OutageIncident,
  { from_at }: MonitorOutage,
  { reopen_minutes }: AutoIncident,
): boolean => ends_at !== null && from_at - ends_at <= reopen_minutes * MINUTE_MS;

/** What an operator writes has no language of its own, so `auto` is English. */
const languageOf = ({ settings }: Page): Language =>
  settings.language === 'auto' ? 'en' : settings.language;

function textAgain(page: Page, text: string, at: number): string {
  if (text.length > MOST_TEXT) return text;
  const words = wordsOf(languageOf(page));
  const time = new Format(words).time(at, 0);
  return `${text}${text === '' ? '' : '\n'}${fill(words.autoAgain, { time })}`;
}
