/**
 * `node test/dashboard/look.ts PAGE [ADDRESS…]`: pictures of a page at 1440, 1024 and 390 px, light and dark, in
 * `$TMPDIR/svc-look/`. PAGE is the folder's name and the address below `/svc/dashboard/`, unless addresses are given:
 * `node test/dashboard/look.ts agent agent/UUID/charts`. `--zh`: in Chinese; `--language=de-DE`: with another region's dates.
 * `--machines=N`: so many simulated ones (12). `--named=N`: so many of them were named by people (all). `--bare`: without
 * jobs, probes, stores and scripts. `--light`, `--dark`: one theme. `--whole`: the whole page, not the window. `--width=N`: that width alone.
 */
import { mkdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { sideways } from './door.ts';
import { fullReport, reportHost } from './hosts.ts';
import { startKit, uuidOf } from './kit.ts';
import { furnish } from './places.ts';
import { fired, measured } from './probing.ts';
import { site, watched } from './watched.ts';

const words = process.argv.slice(2);
const [name = 'fleet', ...given] = words.filter((word) => !word.startsWith('--'));
const numberOf = (option: string): number | undefined => {
  const found = new RegExp(`--${option}=(\\d+)`).exec(words.join(' '))?.[1];
  return found === undefined ? undefined : Number(found);
};
const count = numberOf('machines') ?? 12;
const named = numberOf('named') ?? count;
const width1 = numberOf('width');
const language =
  /--language=([\w-]+)/.exec(words.join(' '))?.[1] ?? (words.includes('--zh') ? 'zh-CN' : 'en-GB');
const DEVICES = 14;
const themes = words.includes('--light')
  ? [false]
  : words.includes('--dark')
    ? [true]
    : [false, true];
const addresses = given.length > 0 ? given : [name];
const folder = join(tmpdir(), 'svc-look');
mkdirSync(folder, { recursive: true });

const kit = await startKit({ machines: count, named, gone: count > 3 ? 1 : 0 });
for (const [at, { uuid }] of kit.machines.entries())
  await reportHost(kit.app, uuid, `srv-${at + 1}.example.net`);
const [first, second, third] = kit.machines;
// The machine that addresses name as UUID: the fourth, which is well, where there are so many.
const SHOWN = count > 3 ? 3 : 0;
if (!words.includes('--bare')) {
  await furnish(kit);
  await measured(kit, count);
  await fired(kit, count);
}
const watchedSite = name === 'monitors' ? await site() : undefined;
if (watchedSite && !words.includes('--bare')) await watched(kit, watchedSite.url);
// A quarter of an hour of the past, one machine that has gone, one whose disk is full and one whose clock is wrong.
for (let ago_s = 900; ago_s > 0; ago_s -= 15)
  await Promise.all(
    kit.machines.slice(count > 3 ? 1 : 0).map((one, at) => {
      const wave = 300 + 250 * Math.sin(ago_s / 90 + at) * Math.sin(ago_s / 37);
      return one.report({ time: Date.now() - ago_s * 1_000, cpu_usage: Math.round(wave) });
    }),
  );
for (let ago_s = 900; ago_s >= 0; ago_s -= 30) {
  const time = Date.now() - ago_s * 1_000;
  const report = fullReport({ uuid: uuidOf(SHOWN), time, devices: DEVICES });
  await kit.app.call('agent_report_dynamic', [kit.app.superToken, report]);
}
const beat = setInterval(() => {
  for (const [at, one] of kit.machines.entries())
    if (one !== first || count <= 3)
      void one.report({
        ...(one === second && { available_space: 3 * 2 ** 30 }),
        ...(one === third && { time: Date.now() + 200_000 }),
        cpu_usage: Math.round(200 + 150 * Math.sin(Date.now() / 3_000 + at)),
      });
}, 500);
try {
  for (const address of addresses)
    for (const width of width1 ? [width1] : [1440, 1024, 390])
      for (const dark of themes) {
        const path = address.replace('UUID', uuidOf(SHOWN)).replace(/^fleet$/, '');
        const height = width === 390 ? 844 : 900;
        const { page, problems, close } = await kit.open(path, { width, height, dark, language });
        await page.waitForLoadState('networkidle');
        // Reports arrive and curves are drawn.
        await pause(2_200);
        const part = address.replace(/[^\w-]+/g, '-') || 'fleet';
        const file = `${part}-${width}-${dark ? 'dark' : 'light'}${language === 'en-GB' ? '' : `-${language}`}.png`;
        const isWhole = words.includes('--whole');
        await page.screenshot({ path: join(folder, file), fullPage: isWhole });
        const wide = await sideways(page);
        if (wide > 0) problems.push(`${wide} px too wide`);
        process.stdout.write(`${join(folder, file)} ${problems.join(' | ')}\n`);
        await close();
      }
} finally {
  clearInterval(beat);
  await watchedSite?.stop();
  await kit.stop();
}
