/** Windows behind the real log-in form, and the browsers that people have. */
import { readFileSync } from 'node:fs';
import * as assert from 'uvu/assert';
import { type Kit, logIn, type OpenOptions, type Typed, type Window } from './kit.ts';

/** Languages of browsers: the 12-hour clock, long words with a comma for decimals, Chinese. */
export const LANGUAGES = ['en-US', 'de-DE', 'zh-CN'] as const;

export interface DoorOptions extends Omit<OpenOptions, 'token'> {
  /** In place of the Super Token. */
  readonly typed?: Typed;
}

/** Opens the address, logs in on the form and works in the page. @throws when something went wrong that the page did not show */
export async function behindForm(
  kit: Kit,
  path: string,
  options: DoorOptions,
  work: (window: Window) => Promise<void>,
): Promise<void> {
  const { typed = { token: (options.app ?? kit.app).superToken }, ...rest } = options;
  const window = await kit.open(path, { ...rest, token: null });
  try {
    await logIn(window.page, typed);
    await work(window);
    assert.equal(window.problems, []);
  } finally {
    await window.close();
  }
}

/** How far the page is wider than its window, px; 0 as it should be. */
export const sideways = (page: Window['page']): Promise<number> =>
  page.evaluate<number>('Math.max(0, document.documentElement.scrollWidth - innerWidth)');

/** The limit that docs/guide/tokens.md gives somebody who looks at all machines. */
export function viewerOfTheGuide(): unknown {
  const guide = readFileSync('docs/guide/tokens.md', 'utf8');
  const [, limit] = /"token_limit":(\[.*?\])\}\]\}\n/s.exec(guide) ?? [];
  return JSON.parse(limit ?? 'null');
}
