/** A server with simulated machines, the built page and one browser, for the tests of the dashboard. */
import { existsSync } from 'node:fs';
import { bootForTest, type TestApp, type TestSocket } from '@svc/plugin-sdk/testing';
import axe from 'axe-core';
import {
  type Browser,
  type BrowserContext,
  chromium,
  type Locator,
  type Page,
} from 'playwright-core';
import * as assert from 'uvu/assert';
import { buildDashboard } from '../../plugins/dashboard/build.mjs';

const WAIT_MS = 15_000;
const programs = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];
/** Chromium of this machine; undefined: there is none. */
export const programOf = () =>
  process.env['SVC_CHROMIUM'] ?? programs.find((path) => existsSync(path));
const program = programOf();

/** Why no browser test can run here; undefined: they can. */
export const missing = program ? undefined : 'chromium not installed';

/** A name of this machine in the browser, which is not that of loopback: with it in place of `127.0.0.1` a page is as one over the network. */
export const FAR_NAME = 'fleet.example.net';

export interface Machine {
  readonly uuid: string;
  /** Sends a summary, with these values in place of the usual ones. */
  report(over?: Record<string, number | null>): Promise<void>;
}

export interface Kit {
  readonly app: TestApp;
  readonly browser: Browser;
  readonly machines: readonly Machine[];
  /** Opens `/svc/dashboard/<path>` in a window of its own, logged in. What goes wrong there is in `problems`. */
  open(path?: string, options?: OpenOptions): Promise<Window>;
  /** Opens such a window, works in it and closes it. @throws when something went wrong there that the page did not show */
  using(
    work: (window: Window) => Promise<void>,
    path?: string,
    options?: OpenOptions,
  ): Promise<void>;
  stop(): Promise<void>;
}

export interface OpenOptions {
  readonly width?: number;
  readonly height?: number;
  readonly dark?: boolean;
  readonly language?: string;
  /** In place of the Super Token; null: nobody is logged in. */
  readonly token?: string | null;
  /** Another server than the kit's. */
  readonly app?: TestApp;
  /** Before the page is loaded. */
  readonly before?: (page: Page) => Promise<void>;
}

export interface Window {
  readonly page: Page;
  readonly context: BrowserContext;
  /** Console errors, failed requests, statuses of 400 and more, exceptions. A test ends with this being empty. */
  readonly problems: string[];
  /** Serious findings of axe-core, as one line each. */
  findings(): Promise<string[]>;
  close(): Promise<void>;
}

export interface KitOptions {
  /** Simulated machines; each has reported once. */
  readonly machines?: number;
  /** So many of them, the first ones, reported ten minutes ago and not since. */
  readonly gone?: number;
  /** So many of them have a name and tags (the first hundred). */
  readonly named?: number;
  readonly config?: Record<string, unknown>;
  readonly plugins?: readonly string[];
}

/** One for a test file: `kit = await startKit()` before all, `kit.stop()` after all. */
export async function startKit(options: KitOptions = {}): Promise<Kit> {
  const { machines = 3, named = 100, gone = 0, config, plugins } = options;
  await buildDashboard();
  const app = await bootForTest(plugins, config);
  if (gone > 0) await reportLongAgo(app, gone);
  const socket = await app.connect();
  const made = Array.from({ length: machines }, (_, at) => machineOf(app, socket, at));
  await Promise.all(made.slice(gone).map((one) => one.report()));
  await nameAll(socket, app.superToken, made.slice(0, named));
  // The container's user is root and has no user namespaces: chromium's own sandbox cannot start.
  const args = ['--no-sandbox', '--disable-gpu', `--host-resolver-rules=MAP ${FAR_NAME} 127.0.0.1`];
  const browser = await chromium.launch({ executablePath: program ?? '', headless: true, args });
  const open: Kit['open'] = (path = '', options = {}) =>
    openWindow(options.app ?? app, browser, path, options);
  return {
    app,
    browser,
    machines: made,
    open,
    async using(work, ...address) {
      const window = await open(...address);
      try {
        await work(window);
        assert.equal(window.problems, []);
      } finally {
        await window.close();
      }
    },
    async stop() {
      await browser.close();
      await app.stop();
    },
  };
}

const PLACES = ['web', 'db', 'edge', 'build'];
/** `web-1`, `db-2`, …: what machine 0, 1, … are called. */
export const nameOf = (at: number) => `${PLACES[at % PLACES.length]}-${at + 1}`;
const tagsOf = (at: number) => [PLACES[at % PLACES.length], at % 2 === 0 ? 'Frankfurt' : '東京'];

async function nameAll(socket: TestSocket, token: string, machines: readonly Machine[]) {
  for (const [at, { uuid }] of machines.entries()) {
    await socket.call('kv_create', [token, uuid]);
    await socket.call('kv_set_value', [token, uuid, 'metadata_name', nameOf(at)]);
    await socket.call('kv_set_value', [token, uuid, 'metadata_tags', tagsOf(at)]);
  }
}

/** The server keeps its own time of a report: the rows are set back, and it reads them as it starts again. */
async function reportLongAgo(app: TestApp, count: number): Promise<void> {
  const socket = await app.connect();
  for (let at = 0; at < count; at++) await machineOf(app, socket, at).report();
  const then = Date.now() - 600_000;
  const columns = 'timestamp = $1, storage_time = $1';
  await app.sql(`update dynamic_monitoring_summary set ${columns}`, [then]);
  await app.restart();
}

/** Machine 0 is `00000000-0000-4000-8000-000000000000`, and so on. */
export const uuidOf = (at: number) => `00000000-0000-4000-8000-${String(at).padStart(12, '0')}`;

const GIB = 2 ** 30;

export function machineOf(app: TestApp, socket: TestSocket, at: number): Machine {
  const uuid = uuidOf(at);
  return {
    uuid,
    async report(over = {}) {
      const summary = { ...usual(at), time: Date.now(), uuid, ...over };
      await socket.call('agent_report_dynamic_summary', [app.superToken, { ...summary }]);
    },
  };
}

/** A quiet machine; the number makes it differ from the others. `cpu_usage` and the loads come times ten. */
const usual = (at: number) => ({
  cpu_usage: 50 + ((at * 37) % 400),
  gpu_usage: null,
  used_swap: 0,
  total_swap: 2 * GIB,
  used_memory: (2 + (at % 5)) * GIB,
  total_memory: 8 * GIB,
  available_memory: (6 - (at % 5)) * GIB,
  load_one: 4,
  load_five: 3,
  load_fifteen: 2,
  uptime: 86_400 * (1 + (at % 30)),
  boot_time: Math.floor(Date.now() / 1000) - 86_400 * (1 + (at % 30)),
  process_count: 120 + (at % 40),
  total_space: 100 * GIB,
  available_space: (30 + ((at * 7) % 50)) * GIB,
  read_speed: 1_000_000,
  write_speed: 500_000,
  tcp_connections: 40,
  udp_connections: 6,
  total_received: 10 * GIB,
  total_transmitted: 4 * GIB,
  receive_speed: 120_000 + at * 1_000,
  transmit_speed: 40_000 + at * 500,
});

/** Until the expression holds in the page. Playwright's own way is an `eval`, which the page's policy forbids. */
export async function until(page: Page, expression: string): Promise<void> {
  const end = Date.now() + WAIT_MS;
  while (!(await page.evaluate(expression))) {
    if (Date.now() > end) throw new Error(`never: ${expression}`);
    await page.waitForTimeout(20);
  }
}

/** What is typed into the log-in form. */
export type Typed =
  | { readonly token: string }
  | { readonly username: string; readonly password: string };

/**
 * Logs in as people do, on the page's own form (`open` with `token: null`), in any language. Resolves when the page behind it
 * is drawn, with a session of its own where `open` has put the token itself.
 */
export async function logIn(page: Page, typed: Typed): Promise<void> {
  const isToken = 'token' in typed;
  await page
    .locator('form')
    .getByRole('tab')
    .nth(isToken ? 0 : 1)
    .click();
  if (isToken) await page.locator('input[name=token]').fill(typed.token);
  else {
    await page.locator('input[name=username]').fill(typed.username);
    await page.locator('input[name=password]').fill(typed.password);
  }
  await page.locator('form button[type=submit]').click();
  // On a phone it is there and hidden.
  await page.locator('.rail').waitFor({ state: 'attached' });
}

async function openWindow(
  app: TestApp,
  browser: Browser,
  path: string,
  options: OpenOptions,
): Promise<Window> {
  const { width = 1440, height = 900, dark = false, language = 'en-GB', token } = options;
  const context = await browser.newContext({
    viewport: { width, height },
    colorScheme: dark ? 'dark' : 'light',
    locale: language,
    reducedMotion: 'reduce',
  });
  const credential = token === undefined ? app.superToken : token;
  // A script of the test, not of the page: it puts the token itself where logging in (`logIn`) puts a session.
  if (credential !== null)
    await context.addInitScript(
      `sessionStorage.setItem('svc-session ' + location.origin, ${JSON.stringify(JSON.stringify({ credential }))})`,
    );
  const page = await context.newPage();
  page.setDefaultTimeout(WAIT_MS);
  const problems = problemsOf(page);
  await options.before?.(page);
  await page.goto(`${app.url}/svc/dashboard/${path}`);
  return {
    page,
    context,
    problems,
    findings: () => findingsOf(page),
    close: () => context.close(),
  };
}

/** What goes wrong in a window, as it goes wrong. */
export function problemsOf(page: Page): string[] {
  const problems: string[] = [];
  page.on('pageerror', (error) => problems.push(`exception: ${error.message}`));
  page.on('console', (message) => {
    if (message.type() === 'error') problems.push(`console: ${message.text()}`);
  });
  page.on('requestfailed', (request) => {
    // A picture that was on its way when the page was left.
    const isLeft = request.failure()?.errorText === 'net::ERR_ABORTED';
    if (!isLeft) problems.push(`failed: ${request.url()}`);
  });
  page.on('response', (response) => {
    if (response.status() >= 400) problems.push(`${response.status()}: ${response.url()}`);
  });
  return problems;
}

async function findingsOf(page: Page): Promise<string[]> {
  // Evaluated by the debugger, which the page's content policy does not bind.
  await page.evaluate(axe.source);
  const { violations } = (await page.evaluate('axe.run(document)')) as {
    violations: { id: string; impact: string; nodes: { html: string; failureSummary: string }[] }[];
  };
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .flatMap(({ id, nodes }) =>
      nodes.map(({ html, failureSummary }) => `${id}: ${html.slice(0, 160)} ${failureSummary}`),
    );
}

/** New passwords that a server refuses by default, and what it says of them. */
export const REFUSED = [
  ['short', 'must be at least 8 characters long'],
  ['password1', 'is one of the 10,000 most common ones'],
] as const;

/** Waits until the note of a field begins with the text, and the field is marked. */
export async function saidAt(field: Locator, text: string): Promise<void> {
  const note = field.locator('xpath=../*[contains(@class, "bad")]');
  await note.filter({ hasText: text }).waitFor();
  assert.is(await field.getAttribute('aria-invalid'), 'true');
  assert.is(await field.getAttribute('aria-describedby'), await note.getAttribute('id'));
}
