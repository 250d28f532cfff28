import { canonicalUuid, RpcError, type Static } from '@svc/plugin-sdk';
import { escapeHtml } from '@svc/plugin-sdk/http';
import { isZone, trim } from '@svc/plugin-sdk/util';
import { logoType } from './logo.ts';
import type { AutoIncident, Entry, Incident, Page, Settings } from './page.ts';
import type { IncidentChange, NewPage, PageChange } from './schemas.ts';

/** Bytes of all texts of a page as HTML: with them, the largest page stays below 30 kB. */
const MOST_TEXT = 4_000;
/** Bytes of the text of one incident: marks that belong to one character count too. */
const MOST_INCIDENT_TEXT = 4_000;
/** Control characters but for the end of a line, and what no XML may hold. */
const UNFIT = /[\p{Cc}\u{fffe}\u{ffff}]/u;

/** An outage lasts so long before it makes an incident, and the next one goes on with it within the second. */
const AFTER_MINUTES = 5;
const REOPEN_MINUTES = 30;
/** Bytes of a public name of a monitor as HTML, cut to them where it is shown. */
export const MOST_PUBLIC_NAME = 100;

type GivenEntry = Static<typeof NewPage>['entries'][number];

/** Content of a page after a change: the settings, and the logo as base64. */
export interface Content {
  readonly settings: Settings;
  readonly logo: string | null;
}

const BLANK: Settings = {
  title: '',
  description: '',
  language: 'auto',
  url: null,
  accent: null,
  banner: null,
  zone: 'UTC',
  entries: [],
};

/** @param old the page before; undefined: there is none @throws RpcError 108 */
export function contentOf(
  given: Static<typeof PageChange>,
  old: Pick<Page, 'settings' | 'logo'> = { settings: BLANK, logo: null },
): Content {
  const was = old.settings;
  const kept = <T>(value: T | null | undefined, before: T, otherwise: T): T =>
    value === undefined ? before : (value ?? otherwise);
  const settings: Settings = {
    title: given.title === undefined ? was.title : line('title', given.title),
    description: line('description', kept(given.description, was.description, ''), true),
    language: kept(given.language, was.language, 'auto'),
    url: kept(given.url, was.url, null),
    accent: kept(given.accent, was.accent, null),
    banner: kept(given.banner, was.banner, null),
    zone: kept(given.zone, was.zone, 'UTC'),
    entries: given.entries ? entriesOf(given.entries) : was.entries,
  };
  const logo = kept(given.logo, old.logo, null);
  if (settings.url !== null) checkUrl(settings.url);
  if (!isZone(settings.zone))
    throw RpcError.invalid(`'${settings.zone}' is no time zone: write one as Europe/Berlin`);
  if (logo !== null && logo !== old.logo) checkLogo(logo);
  checkBytes(settings);
  return { settings, logo };
}

function entriesOf(given: readonly GivenEntry[]): Entry[] {
  const keys = new Set<string>();
  for (const { key } of given) {
    if (typeof key !== 'string') continue;
    if (keys.has(key)) throw RpcError.invalid(`two entries have the key '${key}'`);
    keys.add(key);
  }
  let next = 1;
  const newKey = () => {
    while (keys.has(String(next))) next++;
    keys.add(String(next));
    return String(next);
  };
  return given.map((entry): Entry => {
    const { name, agent, probe, monitor, auto_incident: auto, group, key } = entry;
    const isMonitor = typeof monitor === 'number';
    const shared = {
      key: key ?? newKey(),
      name: line('name', name ?? '', isMonitor),
      group: line('group', group ?? '', true),
    };
    if (isMonitor) {
      if (agent !== undefined || probe)
        throw RpcError.invalid('an entry shows an agent or a monitor: leave one of them out');
      return { ...shared, monitor, ...(auto && { auto_incident: autoOf(auto) }) };
    }
    if (agent === undefined)
      throw RpcError.invalid(`the entry '${shared.name}' needs an agent or a monitor`);
    if (auto) throw RpcError.invalid('auto_incident is for entries with a monitor');
    const probed = probe && { type: probe.type, target: probe.target, ...jobOf(probe) };
    return { ...shared, agent: canonicalUuid(agent), ...(probed && { probe: probed }) };
  });
}

const autoOf = (given: NonNullable<GivenEntry['auto_incident']>): AutoIncident => ({
  as: given.as,
  after_minutes: given.after_minutes ?? AFTER_MINUTES,
  reopen_minutes: given.reopen_minutes ?? REOPEN_MINUTES,
  title: line('title', given.title ?? '', true),
  text: lines(given.text ?? ''),
});

const jobOf = ({ job }: { job?: string | null }) => (typeof job === 'string' ? { job } : {});

/** One line of plain text, without white space around it. */
function line(what: string, given: string, mayBeEmpty = false): string {
  const text = trim(given);
  if (text === '' && !mayBeEmpty) throw RpcError.invalid(`${what} is blank`);
  if (UNFIT.test(text)) throw RpcError.invalid(`${what} holds a control character`);
  return text;
}

function checkUrl(url: string): void {
  const isAddress = URL.canParse(url) && /^https?:$/.test(new URL(url).protocol);
  if (!isAddress || /[\s"<>]/.test(url)) {
    throw RpcError.invalid('url must be an address that begins with https:// or http://');
  }
  if (new URL(url).username !== '' || new URL(url).password !== '') {
    throw RpcError.invalid('url must not hold a user or password');
  }
}

function checkLogo(logo: string): void {
  const bytes = Buffer.from(logo, 'base64');
  if (bytes.toString('base64') !== logo) throw RpcError.invalid('logo is not base64');
  if (bytes.byteLength > 65_536) throw RpcError.invalid('logo is larger than 64 KiB');
  if (logoType(bytes) === undefined) {
    const kinds = 'PNG, JPEG, WebP, or SVG without scripts, foreign content and document type';
    throw RpcError.invalid(`logo is none of these: ${kinds}`);
  }
}

function checkBytes({ title, description, entries }: Settings): void {
  const groups = new Set(entries.map(({ group }) => group));
  const texts = [title, title, description, ...groups, ...entries.map(({ name }) => name)];
  const unnamed = entries.filter(({ name }) => name === '').length;
  const bytes = texts.reduce(
    (sum, text) => sum + Buffer.byteLength(escapeHtml(text)),
    unnamed * MOST_PUBLIC_NAME,
  );
  if (bytes > MOST_TEXT) {
    throw RpcError.invalid(
      `title, description, names and groups take ${bytes} bytes of ${MOST_TEXT}: shorten some, or make two pages`,
    );
  }
}

/** @param old the incident before; undefined: there is none @throws RpcError 108 */
export function incidentOf(
  given: Static<typeof IncidentChange>,
  now: number,
  old?: Incident,
): Omit<Incident, 'id'> {
  const { title, text, impact, begins_at, ends_at, draft } = given;
  const begins = begins_at === undefined ? (old?.begins_at ?? now) : (begins_at ?? now);
  const ends = ends_at === undefined ? (old?.ends_at ?? null) : ends_at;
  if (ends !== null && ends < begins) throw RpcError.invalid('ends_at is before begins_at');
  return {
    title: line('title', title ?? old?.title ?? ''),
    text: text === undefined ? (old?.text ?? '') : lines(text ?? ''),
    impact: impact === undefined ? (old?.impact ?? 'notice') : (impact ?? 'notice'),
    begins_at: begins,
    ends_at: ends,
    updated_at: now,
    draft: draft === undefined ? (old?.draft ?? false) : (draft ?? false),
    auto: old?.auto ?? false,
  };
}

/** Plain text of several lines. */
function lines(given: string): string {
  const text = trim(given).replace(/\r\n?/g, '\n').replaceAll('\t', ' ');
  if (UNFIT.test(text.replaceAll('\n', ''))) {
    throw RpcError.invalid('text holds a control character');
  }
  if (Buffer.byteLength(escapeHtml(text)) > MOST_INCIDENT_TEXT) {
    throw RpcError.invalid(`text takes more than ${MOST_INCIDENT_TEXT} bytes`);
  }
  return text;
}
