import { escapeHtml } from '@svc/plugin-sdk/http';
import type { State } from '../live/facts.ts';

/** White text can be read on each of them. */
const GROUNDS: { readonly [state in State]: string } = {
  up: '#3f6e52',
  degraded: '#965a00',
  down: '#b32626',
  unknown: '#63625d',
  maintenance: '#2f5bd0',
};
const MOST = 48;
const PADDING = 7;

/** Roughly, at 11 px: the text is fitted into it. */
function widthOf(text: string): number {
  let width = 0;
  for (const character of text) {
    const isWide =
      /[\u1100-\u11ff\u2e80-\ud7ff\uf900-\ufaff\ufe30-\ufe4f\uff00-\uff60]|\p{Extended_Pictographic}/u;
    if (isWide.test(character)) width += 11.5;
    else if (/[\s.,:;'|!iIjlt()[\]-]/.test(character)) width += 4;
    else width += /[mwMW%@]/.test(character) ? 9.5 : 6.6;
  }
  return Math.ceil(width);
}

const short = (text: string): string => {
  const characters = [...text];
  return characters.length > MOST ? `${characters.slice(0, MOST - 1).join('')}…` : text;
};

/** Draws a badge: the name of a thing, and its state. */
export function badge(label: string, says: string, state: State): string {
  const [left, right] = [short(label), short(says)];
  const [a, b] = [widthOf(left), widthOf(right)];
  const [aAll, bAll] = [a + 2 * PADDING, b + 2 * PADDING];
  const title = escapeHtml(`${label}: ${says}`);
  const word = (x: number, width: number, text: string) =>
    `<text x="${x}" y="14" textLength="${width}" lengthAdjust="spacingAndGlyphs">${escapeHtml(text)}</text>`;
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${aAll + bAll}" height="20" role="img" aria-label="${title}"><title>${title}</title><clipPath id="r"><rect width="${aAll + bAll}" height="20" rx="4"/></clipPath><g clip-path="url(#r)"><path fill="#44443f" d="M0 0h${aAll}v20H0z"/><path fill="${GROUNDS[state]}" d="M${aAll} 0h${bAll}v20H${aAll}z"/></g><g fill="#fff" font-family="Verdana,DejaVu Sans,system-ui,sans-serif" font-size="11">${word(PADDING, a, left)}${word(aAll + PADDING, b, right)}</g></svg>`;
}

/** Draws the icon of the browser's tab, where the page has no logo: its state. */
export const icon = (state: State): string =>
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"><circle cx="8" cy="8" r="7" fill="${GROUNDS[state]}"/></svg>`;
