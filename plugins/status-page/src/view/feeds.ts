import { escapeHtml } from '@svc/plugin-sdk/http';
import type { Facts } from '../live/facts.ts';
import type { Incident } from '../page.ts';
import type { Voice } from './say.ts';

const MOST_ITEMS = 50;

/** Addresses of the page and its incidents, for feeds: absolute where the operator has set the address. */
export interface Links {
  readonly page: string;
  incident(id: number): string;
}

const itemsOf = ({ open, past }: Facts): readonly Incident[] =>
  [...open, ...past].slice(0, MOST_ITEMS);

/** RSS 2.0: one item for each incident. */
export function rss(facts: Facts, voice: Voice, links: Links): string {
  const { settings, slug } = facts.page;
  const tag = (name: string, text: string, more = '') =>
    `<${name}${more}>${escapeHtml(text)}</${name}>`;
  const items = itemsOf(facts).map(({ id, title, text, impact, begins_at }) =>
    [
      '<item>',
      tag('title', `${voice.words.impact[impact]}: ${title}`),
      tag('link', links.incident(id)),
      tag('guid', `${slug}/${id}`, ' isPermaLink="false"'),
      tag('pubDate', new Date(begins_at).toUTCString()),
      // Readers take a description for HTML, so the text is escaped twice.
      tag('description', escapeHtml(text).replaceAll('\n', '<br>')),
      '</item>',
    ].join(''),
  );
  return `<?xml version="1.0" encoding="UTF-8"?>
<rss version="2.0"><channel>${[
    tag('title', settings.title),
    tag('link', links.page),
    tag('description', voice.text(facts.sentence)),
    tag('language', voice.words.code),
    tag('lastBuildDate', new Date(facts.at).toUTCString()),
    ...items,
  ].join('\n')}</channel></rss>
`;
}

/** JSON Feed 1.1, with the state of each entry in `_status`. */
export function jsonFeed(facts: Facts, voice: Voice, links: Links): string {
  const iso = (time: number) => new Date(time).toISOString();
  const feed = {
    version: 'https://jsonfeed.org/version/1.1',
    title: facts.page.settings.title,
    home_page_url: links.page,
    description: voice.text(facts.sentence),
    language: voice.words.code,
    items: itemsOf(facts).map(({ id, title, text, impact, begins_at, updated_at }) => ({
      id: `${facts.page.slug}/${id}`,
      url: links.incident(id),
      title,
      content_text: text,
      tags: [impact],
      date_published: iso(begins_at),
      date_modified: iso(Math.max(begins_at, updated_at)),
    })),
    _status: {
      at: iso(facts.at),
      state: facts.state,
      systems: facts.rows.map(({ key, name, group, state, says, uptime, latency }) => ({
        key,
        name,
        ...(group !== '' && { group }),
        state,
        ...(says.time !== undefined && { since: iso(says.time) }),
        ...(uptime?.share !== undefined && { uptime_90_days: uptime.share }),
        ...(latency?.loss !== undefined && { loss_24_hours: latency.loss }),
        ...(latency?.p50 !== undefined && { latency_ms: latency.p50 }),
      })),
    },
  };
  return JSON.stringify(feed);
}
