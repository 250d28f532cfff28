import { type Browser, chromium } from 'playwright-core';
import { programOf, until } from '../../test/dashboard/kit.ts';
import { runLoad } from '../clients.ts';
import { type Bench, startBench } from '../server.ts';
import type { Figure, Scenario } from '../types.ts';

const agents = 1_000;
const rounds = 10;
const scenario = 'dashboard';

interface Times {
  readonly paint_ms: number;
  readonly data_ms: number;
  /** Until the first card has figures. */
  readonly figures_ms: number;
}

export const dashboard: Scenario = {
  name: scenario,
  about: `the dashboard in a browser, 1,000 agents live: medians of ${rounds}, a blank page as yardstick`,
  async run() {
    const bench = await startBench('sqlite');
    const { socketUrl: url, token } = bench;
    const load = { url, token, agents, inflight: 4, kind: 'summary', interval: '1s' };
    const running = runLoad('agentload', { ...load, duration: '60s' });
    const args = ['--no-sandbox', '--disable-gpu'];
    const browser = await chromium.launch({
      executablePath: programOf() ?? '',
      headless: true,
      args,
    });
    try {
      await pause(6_000);
      const blank = await medians(() => visit(browser, bench, 'svc/health', undefined));
      const page = await medians(() => visit(browser, bench, 'svc/dashboard/', '.fleet-card'));
      const key_ms = await typing(browser, bench);
      return [
        figure('blank page, first paint', blank.paint_ms),
        figure('first paint', page.paint_ms, 300),
        figure('first data', page.data_ms, 500),
        figure('first figures of the machines', page.figures_ms),
        figure('a key in the filter', key_ms, 50),
      ];
    } finally {
      await browser.close();
      await running;
      await bench.end();
      await bench.place.remove();
    }
  },
};

const figure = (name: string, value: number, most?: number): Figure => ({
  scenario,
  figure: name,
  value: Math.round(value),
  unit: 'ms',
  ...(most !== undefined && { goal: { most } }),
});

async function medians(measure: () => Promise<Times>): Promise<Times> {
  const all: Times[] = [];
  for (let round = 0; round < rounds; round++) all.push(await measure());
  return {
    paint_ms: median(all.map((one) => one.paint_ms)),
    data_ms: median(all.map((one) => one.data_ms)),
    figures_ms: median(all.map((one) => one.figures_ms)),
  };
}

const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;

/** A window of its own, with nothing kept, logged in. */
async function open(browser: Browser, { token }: Bench) {
  const context = await browser.newContext({
    viewport: { width: 1440, height: 900 },
    locale: 'en-GB',
  });
  const session = JSON.stringify(JSON.stringify({ credential: token }));
  await context.addInitScript(
    `sessionStorage.setItem('svc-session ' + location.origin, ${session})`,
  );
  return { context, page: await context.newPage() };
}

/** ms from the navigation to the first paint, and until `selector` is there. */
async function visit(
  browser: Browser,
  bench: Bench,
  path: string,
  selector: string | undefined,
): Promise<Times> {
  const { context, page } = await open(browser, bench);
  if (selector !== undefined)
    await context.addInitScript(`(() => {
      const look = () => {
        if (document.querySelector(${JSON.stringify(selector)})) window.dataAt ??= performance.now();
        if (/\\d/.test(document.querySelector('.fleet-card .fleet-value')?.textContent)) window.figuresAt = performance.now();
        else requestAnimationFrame(look);
      };
      requestAnimationFrame(look);
    })()`);
  try {
    await page.goto(bench.socketUrl.replace('ws', 'http') + path);
    if (selector !== undefined) await page.locator(selector).first().waitFor();
    if (selector !== undefined) await until(page, 'window.figuresAt > 0');
    await pause(100);
    const [paint_ms, data_ms, figures_ms] = (await page.evaluate(
      "[performance.getEntriesByName('first-paint')[0]?.startTime ?? 0, window.dataAt ?? 0, window.figuresAt ?? 0]",
    )) as [number, number, number];
    return { paint_ms, data_ms, figures_ms };
  } finally {
    await context.close();
  }
}

/** The median time that the browser gives for a key press, from the key to the next picture. */
async function typing(browser: Browser, bench: Bench): Promise<number> {
  const { context, page } = await open(browser, bench);
  try {
    await page.goto(`${bench.socketUrl.replace('ws', 'http')}svc/dashboard/`);
    await page.locator('.fleet-card').first().waitFor();
    await page.evaluate(`(() => {
      window.keys = [];
      new PerformanceObserver((list) => {
        for (const { name, duration } of list.getEntries()) if (name === 'keydown') window.keys.push(duration);
      }).observe({ type: 'event', durationThreshold: 16 });
    })()`);
    await page.getByLabel('Name, address, tag …').pressSequentially('0b6f1c52-7a', { delay: 150 });
    await pause(500);
    const seen = (await page.evaluate('window.keys')) as number[];
    // Those that took less than 16 ms are not told.
    return median([...seen, ...Array<number>(Math.max(0, 11 - seen.length)).fill(16)]);
  } finally {
    await context.close();
  }
}

const pause = (ms: number) => new Promise<void>((done) => setTimeout(done, ms));
