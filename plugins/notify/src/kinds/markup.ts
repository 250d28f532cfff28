import { escapeHtml } from '@svc/plugin-sdk/http';
import type { Link, Markup } from './types.ts';

/** Invisible: between `@` and a name, so that nobody is called by a foreign text. */
const BREAK = '\u200b';

/** Keeps `@everyone`, `@all`, `@here` and names from calling anybody. */
const withoutMentions = (text: string): string => text.replaceAll('@', `@${BREAK}`);

/** Escapes what Markdown gives a meaning within a line, and at its beginning. */
const markdown = (text: string): string =>
  withoutMentions(text)
    .replace(/[\\`*_~|[\]<]/g, '\\$&')
    .replace(/^([ \t]*)([#>+-])/gm, '$1\\$2')
    .replace(/^([ \t]*\d{1,9})([.)])/gm, '$1\\$2');

/** Slack's own markup: three characters are entities, the rest is plain where `mrkdwn` is off. */
const mrkdwn = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

/** Functions that make plain text show as it is. */
export const ESCAPES: { readonly [markup in Markup]: (text: string) => string } = {
  plain: (text) => text,
  html: (text) => escapeHtml(withoutMentions(text)),
  markdown,
  mrkdwn,
  // Google Chat has no escape for the `<` of `<users/all>`.
  chat: (text) => text.replaceAll('<', `<${BREAK}`),
};

/** Links in one line of HTML. */
export const anchors = (links: readonly Link[]): string =>
  links
    .map(({ label, url }) => `<a href="${escapeHtml(url)}">${escapeHtml(label)}</a>`)
    .join(' · ');

/** Address within the brackets of a Markdown link. */
export const inBrackets = (url: string): string =>
  url.replaceAll('(', '%28').replaceAll(')', '%29');
