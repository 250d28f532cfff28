/**
 * `node test/dashboard/look.ts PAGE [ADDRESS…]`: pictures of a page at 1440, 1024 and 390 px, light and dark, in
 * `$TMPDIR/svc-look/`. PAGE is the folder's name and the address below `/svc/dashboard/`, unless addresses are given:
 * `node test/dashboard/look.ts agent agent/UUID/charts`. `--zh`: in Chinese. `--machines=N`: so many simulated ones (12).
 */
import { mkdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { startKit, uuidOf } from './kit.ts';

const words = process.argv.slice(2);
const [name = 'fleet', ...given] = words.filter((word) => !word.startsWith('--'));
const count = Number(/--machines=(\d+)/.exec(words.join(' '))?.[1] ?? 12);
const language = words.includes('--zh') ? 'zh-CN' : 'en-GB';
const addresses = given.length > 0 ? given : [name];
const folder = join(tmpdir(), 'svc-look');
mkdirSync(folder, { recursive: true });

const kit = await startKit({ machines: count, gone: 1 });
const [first, second, third] = kit.machines;
// A quarter of an hour of the past, one machine that has gone, one whose disk is full and one whose clock is wrong.
for (let ago_s = 900; ago_s > 0; ago_s -= 15)
  await Promise.all(
    kit.machines.slice(1).map((one, at) => {
      const wave = 300 + 250 * Math.sin(ago_s / 90 + at) * Math.sin(ago_s / 37);
      return one.report({ time: Date.now() - ago_s * 1_000, cpu_usage: Math.round(wave) });
    }),
  );
const beat = setInterval(() => {
  for (const [at, one] of kit.machines.entries())
    if (one !== first)
      void one.report({
        ...(one === second && { available_space: 3 * 2 ** 30 }),
        ...(one === third && { time: Date.now() + 200_000 }),
        cpu_usage: Math.round(200 + 150 * Math.sin(Date.now() / 3_000 + at)),
      });
}, 500);
try {
  for (const address of addresses)
    for (const width of [1440, 1024, 390])
      for (const dark of [false, true]) {
        const path = address.replace('UUID', uuidOf(0)).replace(/^fleet$/, '');
        const height = width === 390 ? 844 : 900;
        const { page, problems, close } = await kit.open(path, { width, height, dark, language });
        await page.waitForLoadState('networkidle');
        // Reports arrive and curves are drawn.
        await pause(2_200);
        const part = address.replace(/[^\w-]+/g, '-') || 'fleet';
        const file = `${part}-${width}-${dark ? 'dark' : 'light'}${language === 'zh-CN' ? '-zh' : ''}.png`;
        await page.screenshot({ path: join(folder, file) });
        process.stdout.write(`${join(folder, file)} ${problems.join(' | ')}\n`);
        await close();
      }
} finally {
  clearInterval(beat);
  await kit.stop();
}
