// proof only: 150
/** Every page in both themes and both languages: everybody can read it, and on a phone nothing is wider than the window. */

import * as assert from 'uvu/assert';
import { suite } from '../runner/suite.ts';
import { type Kit, missing, startKit } from './kit.ts';
import { lineOf } from './line.ts';
import { furnish, PLACES, visit } from './places.ts';

let kit: Kit;
const suiteOf = suite('dashboard: every page');
const test = missing ? suiteOf.skip : suiteOf;
if (missing) process.stdout.write(`  skipped: ${missing}\n`);

suiteOf.before(async () => {
  if (missing) return;
  kit = await startKit({ machines: 3 });
  await furnish(kit);
});
suiteOf.after(() => kit?.stop());

const LOOKS = [
  { width: 1440, height: 900, dark: false, language: 'en-GB' },
  { width: 1024, height: 768, dark: true, language: 'zh-CN' },
  { width: 390, height: 844, dark: false, language: 'zh-CN' },
  { width: 390, height: 844, dark: true, language: 'en-GB' },
];

for (const look of LOOKS)
  test(`axe-core finds nothing serious and nothing sticks out: ${look.width} px, ${look.dark ? 'dark' : 'light'}, ${look.language}`, async () => {
    const line = lineOf();
    const window = await kit.open('tokens', { ...look, before: line.attach });
    const { page, findings, close } = window;
    const wrong: string[] = [];
    try {
      await page.locator('#content .page').waitFor();
      for (const [address] of PLACES) {
        wrong.push(...(await visit(window, line, address)));
        wrong.push(...(await findings()).map((finding) => `${address}: ${finding}`));
        const width = await page.evaluate<number>('document.documentElement.scrollWidth');
        if (width > look.width) wrong.push(`${address}: ${width} px wide`);
      }
      assert.equal(wrong, []);
    } finally {
      await close();
    }
  });

suiteOf.run();
