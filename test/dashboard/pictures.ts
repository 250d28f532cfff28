/** `node test/dashboard/pictures.ts`: makes the pictures of the README (`docs/pictures/`), light and dark, from a fleet with a past. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Page } from 'playwright-core';
import { stopAgent } from '../agent-program-process.ts';
import { seedAgent, seedPings } from '../status-page/kit.ts';
import { AGENT, startTaskAgent } from './agent.ts';
import { type Kit, nameOf, startKit, uuidOf } from './kit.ts';

const MACHINES = 12;
const PAST_S = 3_600;
const STEP_S = 10;
const WIDTH = 1280;
const HEIGHT = 800;
const DAY_MS = 86_400_000;
const folder = join(import.meta.dirname, '../../docs/pictures');

/** Curves that look like work, not like a sine. */
function work(at: number, second: number): Record<string, number> {
  const wave = (period: number) => Math.sin((2 * Math.PI * (second + at * 97)) / period);
  const busy = 0.35 + 0.18 * wave(1_400) + 0.1 * wave(310) + 0.06 * wave(47) + 0.05 * wave(13);
  const share = Math.min(0.98, Math.max(0.02, busy * (0.5 + ((at * 7) % 5) / 5)));
  return {
    cpu_usage: Math.round(1_000 * share),
    load_one: Math.round(40 * share),
    load_five: Math.round(38 * share),
    load_fifteen: Math.round(35 * share),
    used_memory: Math.round((2 + (at % 5) + 0.6 * share) * 2 ** 30),
    available_memory: Math.round((6 - (at % 5) - 0.6 * share) * 2 ** 30),
    receive_speed: Math.round(2_000_000 * share ** 2),
    transmit_speed: Math.round(900_000 * share ** 2),
    read_speed: Math.round(3_000_000 * share ** 3),
    write_speed: Math.round(5_000_000 * share ** 2),
  };
}

async function past(kit: Kit): Promise<void> {
  for (let ago_s = PAST_S; ago_s > 0; ago_s -= STEP_S) {
    const time = Date.now() - ago_s * 1_000;
    const second = Math.round(time / 1_000);
    await Promise.all(kit.machines.map((one, at) => one.report({ time, ...work(at, second) })));
  }
}

async function statusPage(kit: Kit): Promise<void> {
  const { app } = kit;
  const away = [{ 12: 3_600_000, 40: 600_000 }, {}, { 63: DAY_MS / 3 }, { 5: 240_000 }];
  for (const [at, days] of away.entries()) await seedAgent(app, { uuid: uuidOf(at), away: days });
  const pings = Array.from({ length: 288 }, (_, n) => {
    const ms = 11 + 3 * Math.sin(n / 20) + (n % 7) / 3;
    return [n * 5 + 1, n === 140 ? null : ms] as const;
  });
  await seedPings(app, uuidOf(0), 'db.example.net', pings);
  const entries = [
    ...away.map((_, at) => ({ name: nameOf(at), group: 'Machines', agent: uuidOf(at) })),
    {
      name: 'Database, from web-1',
      group: 'Network',
      agent: uuidOf(0),
      probe: { type: 'ping', target: 'db.example.net' },
    },
  ];
  const page = { title: 'Example status', description: 'What runs here, and since when.', entries };
  await app.call('status-page_create', [app.superToken, 'main', page]);
  const begins_at = Date.now() - 12 * DAY_MS;
  await app.call('status-page_incident_add', [
    app.superToken,
    'main',
    {
      title: 'A disk was replaced',
      text: 'web-1 was away for an hour. Nothing was lost.',
      impact: 'maintenance',
      begins_at,
      ends_at: begins_at + 3_600_000,
    },
  ]);
}

async function shell(page: Page): Promise<void> {
  const lines = page.locator('.xterm-rows');
  const type = async (text: string, shows: string) => {
    await page.locator('.xterm-helper-textarea').focus();
    await page.keyboard.type(`${text}\n`);
    await lines.getByText(shows).last().waitFor();
  };
  await lines.waitFor();
  await type(`PS1='gateway:\\w# '; clear`, 'gateway:~#');
  await type('cd /var && ls', 'gateway:/var#');
  const told = 'for one in web-1 db-2 edge-3; do echo "$one: backup complete"; done';
  await type(told, 'edge-3: backup');
}

const kit = await startKit({ machines: MACHINES });
const agent = await startTaskAgent(kit.app);
await kit.app.call('kv_create', [kit.app.superToken, AGENT]);
await kit.app.call('kv_set_value', [kit.app.superToken, AGENT, 'metadata_name', 'gateway']);
await statusPage(kit);
await past(kit);
const beat = setInterval(() => {
  const second = Math.round(Date.now() / 1_000);
  for (const [at, one] of kit.machines.entries())
    void one.report({ ...work(at, second), ...(at === 5 && { available_space: 3 * 2 ** 30 }) });
}, 1_000);
mkdirSync(folder, { recursive: true });
try {
  for (const dark of [false, true]) {
    const theme = dark ? 'dark' : 'light';
    for (const [name, path] of [
      ['fleet', ''],
      ['agent', `agent/${uuidOf(0)}/charts?range=1h`],
      ['terminal', `terminal/${AGENT}`],
    ] as const) {
      const { page, close } = await kit.open(path, { width: WIDTH, height: HEIGHT, dark });
      if (name === 'terminal') await shell(page);
      else
        await page
          .locator(name === 'agent' ? '.uplot canvas' : '.sparkline')
          .first()
          .waitFor();
      await pause(4_000);
      await page.screenshot({ path: join(folder, `${name}-${theme}.png`) });
      await close();
    }
    const context = await kit.browser.newContext({
      viewport: { width: WIDTH, height: HEIGHT },
      colorScheme: theme,
    });
    const page = await context.newPage();
    await page.goto(`${kit.app.url}/svc/status/main`);
    await page.screenshot({ path: join(folder, `status-${theme}.png`) });
    await context.close();
  }
} finally {
  clearInterval(beat);
  await stopAgent(agent);
  await kit.stop();
}
