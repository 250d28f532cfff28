// proof only: 240
// watchdog: 900
/**
 * Every page of the dashboard behind its own log-in form, for the people who use it, in their locales: no page shows a failure,
 * nothing is called that the token may not call, nothing scrolls sideways, and the console stays silent.
 */
import { readFileSync } from 'node:fs';
import * as assert from 'uvu/assert';
import { reportHost } from '../dashboard/hosts.ts';
import { type Kit, logIn, missing, startKit, type Typed, uuidOf } from '../dashboard/kit.ts';
import { lineOf } from '../dashboard/line.ts';
import { furnish, PLACES, visit } from '../dashboard/places.ts';
import { suite } from '../runner/suite.ts';

let kit: Kit;
const suiteOf = suite('stranger: every page behind the log-in form');
const test = missing ? suiteOf.skip : suiteOf;
if (missing) process.stdout.write(`  skipped: ${missing}\n`);

/** The request of docs/guide/tokens.md that makes a token for somebody who looks at all machines. */
function viewerOfTheGuide(): { username: string; password: string } {
  const guide = readFileSync('docs/guide/tokens.md', 'utf8');
  const [, creation] =
    /"method":"token_create","params":\["KEY:SECRET",(\{.*?\})\]\}\n/s.exec(guide) ?? [];
  return JSON.parse(creation ?? '{}');
}

const people: readonly (readonly [who: string, typed: () => Promise<Typed>, names: boolean])[] = [
  ['root, by password', async () => ({ username: 'root', password: kit.app.rootPassword }), true],
  [
    'a viewer made by the guide',
    async () => {
      const { username, password } = viewerOfTheGuide();
      return { username, password };
    },
    true,
  ],
  ['a token without rights', async () => ({ token: await kit.app.token([]) }), false],
];

/** 12-hour clocks, long words with other numbers, and Chinese; each at one width. */
const readers = [
  { language: 'en-US', width: 1024, height: 768 },
  { language: 'de-DE', width: 390, height: 844 },
  { language: 'zh-CN', width: 1440, height: 900 },
] as const;

suiteOf.before(async () => {
  if (missing) return;
  kit = await startKit({ machines: 3, named: 1 });
  await furnish(kit);
  await reportHost(kit.app, uuidOf(1), 'kiosk');
  await kit.app.call('token_create', [kit.app.superToken, viewerOfTheGuide()]);
});
suiteOf.after(() => kit?.stop());

const WIDER = `[document.documentElement, document.querySelector('#content')]
  .map((box) => box.scrollWidth - box.clientWidth).find((px) => px > 0)`;

for (const [who, typed, names] of people)
  for (const reader of readers)
    test(`${who}, in ${reader.language} at ${reader.width} px`, async () => {
      const line = lineOf();
      const window = await kit.open('', { ...reader, token: null, before: line.attach });
      const { page } = window;
      const wrong: string[] = [];
      try {
        await logIn(page, await typed());
        for (const [address] of PLACES) {
          wrong.push(...(await visit(window, line, address)));
          const wider = await page.evaluate<number | undefined>(WIDER);
          if (wider) wrong.push(`${address}: ${wider} px wider than the window`);
          if (address !== '' || !names) continue;
          const found = await page.locator('.fleet-card .fleet-name').allInnerTexts();
          assert.equal(found, ['kiosk', 'web-1', '00000000']);
        }
        assert.equal(wrong, []);
      } finally {
        await window.close();
      }
    });

suiteOf.run();
