import { createHash } from 'node:crypto';
import { escapeHtml } from '@svc/plugin-sdk/http';
import type { Facts, Row } from '../live/facts.ts';
import type { Incident } from '../page.ts';
import { FIRST_RANGE, type Range, rangeNames } from '../ranges.ts';
import { type BarDetail, bar } from './bar.ts';
import { colorsOf } from './colors.ts';
import { latencyText } from './curve.ts';
import { fill } from './fill.ts';
import type { Voice } from './say.ts';

/** Bytes of the largest page. */
export const MOST_BYTES = 30_000;

/** Bytes of a cell with a tooltip of its own, at least. */
const LEAST_TITLE = 60;

/** Addresses of a page, and how often it is read. */
export interface Places {
  /** `/svc/status` */
  readonly base: string;
  readonly every_ms: number;
  /** Version of sheet and script: their addresses change with them. */
  readonly assets: string;
  /** Range of the latency curves. */
  readonly range?: Range;
}

export interface Html {
  readonly html: string;
  /** Source of the one inline sheet, for the policy: `'sha256-…'`. */
  readonly styleSource: string;
}

/** Levels of detail, from all to what always fits: bars, incidents, and characters of their texts. */
const DETAILS: readonly (BarDetail & { incidents: number; text: number })[] = [
  { titles: 'all', incidents: 10, text: 1_000 },
  { titles: 'trouble', incidents: 8, text: 400 },
  { titles: 'none', joined: 5, incidents: 5, text: 160 },
  { titles: 'none', joined: 5, incidents: 2, text: 0 },
  { titles: 'none', joined: 5, incidents: 1, text: 0 },
  { titles: 'none', joined: 10, incidents: 1, text: 0 },
  { titles: 'none', joined: 30, incidents: 1, text: 0 },
];

/** The page of all systems, in the most detail that fits into 30 kB. */
export function pageHtml(facts: Facts, voice: Voice, places: Places): Html {
  let found: Html | undefined;
  const titles_bytes = troubledCells(facts) * LEAST_TITLE;
  for (const detail of DETAILS) {
    // Nothing is made that cannot fit.
    if (detail.titles !== 'none' && titles_bytes > MOST_BYTES) continue;
    found = frame(facts, voice, places, {
      title: facts.page.settings.title,
      main: mainOf(facts, voice, places, detail),
      path: '',
    });
    if (Buffer.byteLength(found.html) <= MOST_BYTES) break;
  }
  return found as Html;
}

function troubledCells({ rows }: Facts): number {
  const cells = rows.flatMap(({ uptime, latency }) => (uptime ?? latency)?.cells ?? []);
  return cells.filter(({ kind }) => kind === 'part' || kind === 'bad').length;
}

/** The page of one incident, with all of its text. */
export function incidentHtml(incident: Incident, facts: Facts, voice: Voice, places: Places): Html {
  const { words } = voice;
  const back = `${places.base}/${facts.page.slug}`;
  const main = `<h2>${words.incident}</h2>${incidentOf(incident, voice, { text: incident.text })}<p><a href="${back}">${words.back}</a></p>`;
  const title = `${incident.title} · ${facts.page.settings.title}`;
  return frame(facts, voice, places, { title, main, path: `/incident/${incident.id}` });
}

interface Parts {
  readonly title: string;
  readonly main: string;
  /** Path after the page's address. */
  readonly path: string;
}

function frame(facts: Facts, voice: Voice, places: Places, { title, main, path }: Parts): Html {
  const { words } = voice;
  const { settings, slug, logo, version } = facts.page;
  const own = `${places.base}/${slug}`;
  const sheet = sheetOf(facts, voice);
  const asset = (name: string) => `${places.base}/_/${name}?v=${places.assets}`;
  const image = logo === null ? undefined : `${own}/logo?v=${version}`;
  const other = voice.language === 'en' ? 'zh-CN' : 'en';
  const head = `<header>${image ? `<img src="${image}" alt="">` : ''}<div><h1><bdi>${escapeHtml(settings.title)}</bdi></h1>${settings.description && `<p>${escapeHtml(settings.description)}</p>`}</div></header>`;
  const feed = (name: string, type: string) =>
    `<link rel="alternate" type="application/${type}" title="${name}" href="${own}/feed.${name === 'RSS' ? 'xml' : 'json'}">`;
  const html = `<!DOCTYPE html>
<html lang="${words.code}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1"><meta name="color-scheme" content="light dark">
<title>${escapeHtml(title)}</title>
<link rel="stylesheet" href="${asset('page.css')}"><style>${sheet}</style>
<link rel="icon" href="${image ?? `${own}/icon.svg`}">${feed('RSS', 'rss+xml')}${feed('JSON', 'feed+json')}
<script src="${asset('page.js')}" defer></script></head>
<body data-every="${Math.ceil(places.every_ms / 1_000)}">
${settings.banner === null ? head : `<div class="banner">${head}</div>`}
<main>
${main}
</main>
<footer><p>${fill(words.asOf, { time: voice.time(facts.at) })}</p><a href="${own}/feed.xml?lang=${words.code}">RSS</a><a href="${own}/feed.json?lang=${words.code}">JSON</a><a href="${own}${path}?lang=${other}${rangeQuery(places)}" lang="${other}" hreflang="${other}">${words.other}</a></footer>
</body></html>
`;
  const digest = createHash('sha256').update(sheet).digest('base64');
  return { html, styleSource: `'sha256-${digest}'` };
}

const rangeQuery = ({ range = FIRST_RANGE }: Pick<Places, 'range'>): string =>
  range === FIRST_RANGE ? '' : `&amp;range=${range}`;

/** The page's own colours, and words that the sheet writes below bars. */
function sheetOf({ page }: Facts, { words }: Voice): string {
  const { light, dark, banner } = colorsOf(page.settings.accent, page.settings.banner);
  const head = banner ? `;--banner:${banner[0]};--on:${banner[1]}` : '';
  const below = `--a:"${words.agoDays}";--z:"${words.today}";--b:"${words.agoHours}";--y:"${words.now}"`;
  return `:root{--accent:${light}${head};${below}}@media screen and (prefers-color-scheme:dark){:root{--accent:${dark}}}`;
}

type Detail = (typeof DETAILS)[number];

function mainOf(facts: Facts, voice: Voice, places: Places, detail: Detail): string {
  const { words } = voice;
  const { open, past, troubles, state, sentence, windows } = facts;
  const shown = open.slice(0, detail.incidents);
  const earlier = past.slice(0, detail.incidents - shown.length);
  const own = `${places.base}/${facts.page.slug}`;
  const groups = groupsOf(facts.rows);
  const withCurves = groups.find((rows) => rows.some(({ latency }) => latency));
  const list = (incidents: readonly Incident[]) =>
    incidents
      .map((one) => incidentOf(one, voice, { text: clip(one.text, detail.text), own }))
      .join('');
  const more = open.length + past.length > shown.length + earlier.length;
  const none = open.length + past.length === 0 ? `<p class="m">${words.noIncidents}</p>` : '';
  const maintained = windows.slice(0, detail.incidents).map((one) => `<li>${voice.html(one)}</li>`);
  const named = troubles.slice(0, 5).map((one) => `<li>${voice.html(one)}</li>`);
  return [
    `<p class="all ${state}" role="status">${voice.html(sentence)}</p>`,
    named.length > 0 ? `<ul class="troubles">${named.join('')}</ul>` : '',
    maintained.length > 0 ? `<ul class="troubles m">${maintained.join('')}</ul>` : '',
    shown.length > 0 ? `<h2>${words.open}</h2>${list(shown)}` : '',
    ...groups.map((rows) =>
      groupHtml(rows, voice, places, { ...detail, own, withRanges: rows === withCurves }),
    ),
    facts.rows.some(({ uptime, latency }) => uptime ?? latency) ? legendHtml(voice) : '',
    earlier.length > 0 || none
      ? `<h2>${earlier.length > 0 ? words.past : words.incidents}</h2>${none}${list(earlier)}`
      : '',
    more ? `<p class="m">${words.moreIncidents}</p>` : '',
  ].join('\n');
}

/** Heights and colours of the strokes of bars, in words. */
const legendHtml = ({ words: { legend } }: Voice): string =>
  `<p class="g"><i></i>${legend.fine} <i class="p"></i>${legend.part} <i class="d"></i>${legend.bad}</p>`;

/** Rows of one heading stand together, in the order in which headings come first. */
function groupsOf(rows: readonly Row[]): Row[][] {
  const groups = new Map<string, Row[]>();
  for (const row of rows) groups.set(row.group, [...(groups.get(row.group) ?? []), row]);
  return [...groups.values()];
}

interface GroupDetail extends BarDetail {
  /** The page's address. */
  readonly own: string;
  /** Tells whether the choice of what the curves span is shown. */
  readonly withRanges: boolean;
}

function groupHtml(
  rows: readonly Row[],
  voice: Voice,
  places: Places,
  detail: GroupDetail,
): string {
  const [{ group }] = rows as [Row];
  const heading = group === '' ? voice.words.entries : `<bdi>${escapeHtml(group)}</bdi>`;
  const ranges = detail.withRanges ? rangesHtml(voice, places) : '';
  const items = rows.map((row) => rowHtml(row, voice, places, detail));
  return `<h2>${heading}</h2>${ranges}<ul class="rows">${items.join('')}</ul>`;
}

/** Choice of what the curves span: links, so that it works without script. */
function rangesHtml({ words }: Voice, { range = FIRST_RANGE }: Places): string {
  const links = rangeNames.map((name) =>
    name === range
      ? `<b aria-current="true">${words.ranges[name]}</b>`
      : `<a href="?lang=${words.code}${rangeQuery({ range: name })}#curves">${words.ranges[name]}</a>`,
  );
  return `<nav class="r" id="curves">${words.curves}: ${links.join(' · ')}</nav>`;
}

function rowHtml(row: Row, voice: Voice, places: Places, detail: GroupDetail): string {
  const { titles, own } = detail;
  const { range = FIRST_RANGE } = places;
  const { uptime, latency, state } = row;
  const { words, format } = voice;
  const stands = voice.html(row.says);
  const figures = [state === 'up' ? stands : `<b>${stands}</b>`];
  if (uptime?.share !== undefined) figures.push(format.share(uptime.share));
  else if (uptime?.isThin) figures.push('–');
  if (latency?.p50 !== undefined) figures.push(format.latency(latency.p50));
  if (latency?.loss !== undefined) {
    figures.push(escapeHtml(fill(words.lost, { loss: format.loss(latency.loss) })));
  }
  const strip = uptime
    ? bar({ range: 'days', cells: uptime.cells, share: uptime.share }, voice, detail)
    : latency
      ? bar({ range: 'day', cells: latency.cells, share: shareOf(latency.loss) }, voice, detail)
      : '';
  const isDay = range === FIRST_RANGE;
  const name = fill(words.latency, { range: words.ranges[range] });
  // The figures of the day stand next to the name, too.
  const says = isDay && latency ? latencyText(latency, range, voice) : name;
  const alt = titles === 'none' ? '' : escapeHtml(says);
  const src = `${own}/latency/${row.key}.svg?lang=${words.code}${rangeQuery(places)}`;
  // Who chose another time wants to see it.
  const hasPicture = latency && ((latency.loss ?? latency.p50) !== undefined || !isDay);
  const picture = hasPicture
    ? `<details data-k="${row.key}"${isDay ? '' : ' open'}><summary>${name}</summary><img loading="lazy" alt="${alt}" src="${src}"></details>`
    : '';
  return `<li class="${latency && !uptime ? 'b' : 'a'} ${state}"><h3><bdi>${escapeHtml(row.name)}</bdi></h3><p class="v">${figures.join(' · ')}</p>${strip}${picture}</li>`;
}

const shareOf = (loss: number | undefined) => (loss === undefined ? undefined : 1 - loss);

function clip(text: string, most: number): string {
  const characters = [...text];
  return characters.length > most ? `${characters.slice(0, most).join('')} …` : text;
}

function incidentOf(
  { id, title, impact, begins_at, ends_at }: Incident,
  voice: Voice,
  { text, own }: { readonly text: string; readonly own?: string },
): string {
  const { words } = voice;
  const time = voice.time(begins_at);
  const isLater = begins_at > voice.now;
  const when =
    ends_at !== null
      ? fill(words.from, { from: time, to: voice.time(ends_at, begins_at) })
      : fill(isLater ? words.planned : words.since, { time });
  const name = `<bdi>${escapeHtml(title)}</bdi>`;
  const heading = own ? `<a href="${own}/incident/${id}?lang=${words.code}">${name}</a>` : name;
  const body = text === '' ? '' : `<p class="t">${escapeHtml(text)}</p>`;
  return `<article class="i"><h3>${heading}</h3><p class="m"><span class="k ${impact}">${words.impact[impact]}</span>${when}</p>${body}</article>`;
}
