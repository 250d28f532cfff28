// proof only: 12
/** The terminal of the dashboard, with a real agent and a real shell. */

import type { Kernel } from '@svc/plugin-sdk';
import { bootForTest } from '@svc/plugin-sdk/testing';
import terminal from '@svc/plugin-terminal';
import type { Page } from 'playwright-core';
import * as assert from 'uvu/assert';
import type { Running } from '../agent-program-process.ts';
import { until as eventually, startAgent, stopAgent } from '../agent-program-process.ts';
import { suite } from '../runner/suite.ts';
import { AGENT, hasPty, startTaskAgent } from './agent.ts';
import { type Kit, logIn, missing, startKit, until, uuidOf, type Window } from './kit.ts';

const test = suite('dashboard: terminal');
const reason = missing ?? (hasPty ? undefined : 'the optional package @lydell/node-pty is absent');
/** Given: its host name comes at its own time. */
const NAME = 'shell-box';
let kit: Kit;
let agent: Running;
let window: Window;

test.before(async () => {
  kit = await startKit({ machines: 1 });
  const { app } = kit;
  await app.call('kv_create', [app.superToken, AGENT]);
  await app.call('kv_set_value', [app.superToken, AGENT, 'metadata_name', NAME]);
  agent = await startTaskAgent(app);
  window = await kit.open(`terminal/${AGENT}`, { token: null });
  await logIn(window.page, { token: kit.app.superToken });
  await window.context.grantPermissions(['clipboard-read', 'clipboard-write']);
});

test.after(async () => {
  await window?.close();
  await stopAgent(agent);
  await kit?.stop();
});

/** What the terminal shows, as lines. */
const screen = () => window.page.locator('.xterm-rows');
const shows = (text: string) => screen().getByText(text).first().waitFor();
const button = (name: string) => window.page.getByRole('button', { name });

/** Waits for a shell. */
const prompt = (page: Page) =>
  page
    .locator('.xterm-rows')
    .getByText(/[#$]\s*$/)
    .first()
    .waitFor();

/** The plugin as it was before it had methods. */
const withoutMethods = (kernel: Kernel): any =>
  Object.create(kernel, { hooks: { value: { ...kernel.hooks, methods: { tap() {} } } } });

async function type(text: string): Promise<void> {
  await window.page.locator('.xterm-helper-textarea').focus();
  await window.page.keyboard.type(`${text}\n`);
}

test('a shell on the machine answers what is typed', async () => {
  await window.page.getByRole('tab', { name: NAME }).waitFor();
  await window.page.locator('.xterm-rows').waitFor();
  await type('echo $((6*7))-$TERM');
  await shows('42-xterm');
});

test('a person who logged in by token or by password types into a shell at once, by a pass, and no address has the session', async () => {
  const ways = [
    { token: kit.app.superToken },
    { username: 'root', password: kit.app.rootPassword },
  ] as const;
  for (const typed of ways)
    await kit.using(
      async ({ page }) => {
        const addresses: string[] = [];
        page.on('websocket', (socket) => addresses.push(socket.url()));
        await logIn(page, typed);
        await prompt(page);
        await page.keyboard.type('echo $((6*7))-typed\n');
        await page.locator('.xterm-rows').getByText('42-typed').first().waitFor();
        const stored = String(await page.evaluate('JSON.stringify({ ...sessionStorage })'));
        const [, credential = ''] = /"credential\\?":\\?"([^"\\]+)/.exec(stored) ?? [];
        assert.match(credential, /^\w{16}:\w{32}$/);
        const [address = ''] = addresses.filter((one) => one.includes('/terminal?'));
        assert.match(address, /token=\w{16}%3A\w{32}/);
        assert.not.match(address, encodeURIComponent(credential));
      },
      `terminal/${AGENT}`,
      { token: null },
    );
});

test('on a server without passes the shell opens with the credential of the page', async () => {
  const older = { ...terminal, setup: (kernel: any) => terminal.setup(withoutMethods(kernel)) };
  const plugins = ['token', 'agent', 'agent-uuid', 'task', 'server-info', 'discovery', 'dashboard'];
  const app = await bootForTest([...plugins, older]);
  const there = await startTaskAgent(app);
  try {
    const asked = app.call('terminal_pass', [app.superToken, AGENT]);
    assert.is((await asked.catch((error) => error)).code, -32601);
    await kit.using(
      async ({ page }) => {
        await logIn(page, { token: app.superToken });
        await prompt(page);
      },
      `terminal/${AGENT}`,
      { token: null, app },
    );
  } finally {
    await stopAgent(there);
    await app.stop();
  }
});

// biome-ignore format: one case per line
const refusals: [name: string, uuid: string, server: string, told: RegExp][] = [
  ['whose tasks are off', uuidOf(71), 'allow_task = false', /^Tasks are switched off on this machine/],
  ['that takes tasks, and no terminal', uuidOf(72), 'allow_task = true\nallow_task_type = ["ping"]', /^This machine does not allow terminals/],
];
for (const [name, uuid, server, told] of refusals)
  test(`the page says so of a machine ${name}, and what to change`, async () => {
    const closed = await startAgent(kit.app, kit.app.superToken, { uuid, server });
    try {
      const list = () => kit.app.call('agent-uuid_list', [kit.app.superToken]);
      const isThere = (one: any) =>
        one.uuid === uuid && one.last_seen && one.tasks_allowed === server.includes('true');
      await eventually('the agent', list, (all: any[]) => all.some(isThere));
      await kit.using(async ({ page }) => {
        const note = page.locator('.page.terminal .note');
        await note.getByText(told).waitFor();
        for (const command of [
          'npx svc-server allow-tasks web_shell',
          'sh /opt/svc-agent/install.sh --allow web_shell',
        ])
          await note.getByText(command, { exact: true }).waitFor();
        await note.getByText(/changes data\/agent\.toml/).waitFor();
        await note.getByText(/task: listen, task: write/).waitFor();
        assert.is(await note.getByText(/Ended at/).count(), 0);
        await note.getByRole('button', { name: 'Try again' }).waitFor();
      }, `terminal/${uuid}`);
    } finally {
      await stopAgent(closed);
    }
  });

test('who may not open terminals there is told so, and the log of the server has no error of it', async () => {
  const seen = kit.app.records().length;
  const token = await kit.app.token([
    { scopes: ['global'], permissions: [{ monitoring_uuid: 'list' }, { terminal: 'connect' }] },
  ]);
  await kit.using(
    async ({ page }) => {
      await page.getByText('Your token may not open terminals on this machine.').waitFor();
    },
    `terminal/${AGENT}`,
    { token },
  );
  const told = kit.app.records().slice(seen);
  assert.equal(
    told.filter(({ level }: any) => level === 'ERROR'),
    [],
  );
});

test('the shell follows the size of the window', async () => {
  const wide = await screen().locator('> div').count();
  await window.page.setViewportSize({ width: 900, height: 500 });
  await type('echo "rows: $(tput lines)"');
  await screen()
    .getByText(/^rows: \d+/)
    .waitFor();
  const line = await screen()
    .getByText(/^rows: \d+/)
    .textContent();
  assert.ok(Number(/\d+/.exec(line ?? '')?.[0]) < wide, `${line} of ${wide}`);
  await window.page.setViewportSize({ width: 1440, height: 900 });
});

test('colours of any depth are drawn without breaking the policy of the page', async () => {
  await type("printf '\\033[38;2;200;80;80mtrue\\033[0m-\\033[31mred\\033[0m\\n'");
  const colour = await screen()
    .locator('span', { hasText: /^true$/ })
    .first()
    .getAttribute('style');
  assert.match(colour ?? '', /200, 80, 80|#c85050/);
  assert.equal(window.problems, []);
});

test('selecting copies, and the menu pastes', async () => {
  // The line that is typed says it otherwise: only what the shell answers, on the cleared screen, is a line like this.
  await type('clear; echo pick-"me"-up');
  const word = screen()
    .locator('span', { hasText: /^pick-me-up\s*$/ })
    .first();
  // What is selected is drawn anew, so only the place of the word stays.
  const { x, y } = (await word.boundingBox()) as { x: number; y: number };
  const { mouse } = window.page;
  await mouse.dblclick(x + 8, y + 8);
  await until(
    window.page,
    "navigator.clipboard.readText().then((text) => text.trim() === 'pick-me-up')",
  );
  // From there to a place beside the screen: what a drag has selected is copied wherever it ends.
  await mouse.move(x + 1, y + 8);
  await mouse.down();
  await mouse.move(x + 60, y + 8);
  await window.page.getByRole('navigation').first().hover();
  await mouse.up();
  await until(
    window.page,
    "navigator.clipboard.readText().then((text) => text !== '' && text.trim() !== 'pick-me-up')",
  );
  await window.page.evaluate("navigator.clipboard.writeText('echo from-the-clipboard')");
  await button('More for this terminal').click();
  await window.page.getByRole('menuitem', { name: /^Paste/ }).click();
  await shows('echo from-the-clipboard');
  await window.page.keyboard.press('Enter');
  await screen()
    .locator('div', { hasText: /^from-the-clipboard/ })
    .waitFor();
});

test('the search finds what has been shown', async () => {
  await button('Search (Ctrl Shift F)').click();
  // Letter by letter, as people type: each one looks again.
  const field = window.page.getByRole('searchbox', { name: 'Search' });
  await field.pressSequentially('from-the-clipboard', { delay: 30 });
  await window.page.getByRole('status').filter({ hasText: / of / }).waitFor();
  await window.page.keyboard.press('Escape');
});

test('the size of the text is kept on the device', async () => {
  const size = () => window.page.evaluate("localStorage.getItem('svc-terminal-font')");
  await button('Larger text').first().click();
  assert.is(await size(), '14');
});

test('a second terminal has a tab of its own, and both stay while another page is shown', async () => {
  await button('Open another terminal').click();
  await window.page.getByRole('dialog').getByRole('button', { name: NAME }).click();
  await window.page.getByRole('tab', { name: `${NAME} 2` }).waitFor();
  await type('echo second-$((1+1))');
  await shows('second-2');
  await window.page.getByRole('link', { name: 'Tasks' }).first().click();
  await window.page.goBack();
  await shows('second-2');
  assert.is(await window.page.getByRole('tab').count(), 2);
});

test('nothing serious is found by axe-core', async () => {
  assert.equal(await window.findings(), []);
});

test('closing asks where a program runs, and nowhere else', async () => {
  await type('echo read""y; sleep 1000');
  await shows('ready');
  await button('Close').click();
  const dialog = window.page.getByRole('dialog', { name: 'Something is running here' });
  await dialog.getByText(/ends it/).waitFor();
  await dialog.getByRole('button', { name: 'Close' }).last().click();
  await dialog.waitFor({ state: 'detached' });
  assert.is(await window.page.getByRole('tab').count(), 1);
  await window.page.getByRole('tab', { name: NAME }).click();
});

test('a shell that was left by exit says so quietly, and a new one has the keyboard at once', async () => {
  await type('exit');
  const note = window.page.locator('.page.terminal .note');
  await note.getByText(/Ended at .* The shell has ended\. Press Enter for a new one\./).waitFor();
  assert.not.match((await note.getAttribute('class')) ?? '', /warn|bad/);
  await button('New shell').click();
  await note.waitFor({ state: 'detached' });
  await window.page.keyboard.type('echo again-$((2+2))\n');
  await shows('again-4');
});

/** How a person comes to a terminal, or back to it; each time the keys go into it without a click. */
const ways: [way: string, go: (page: Page) => Promise<unknown>][] = [
  [
    'from the page of the machine',
    async (page) => {
      await page.goto(page.url().replace('/terminal/', '/agent/'));
      await page.getByRole('main').getByRole('button', { name: 'Terminal' }).click();
    },
  ],
  ['by a reload', (page) => page.reload()],
  ['by a click on its tab', (page) => page.getByRole('tab', { selected: true }).click()],
  [
    'from a dialog that was closed',
    async (page) => {
      await page.getByRole('button', { name: 'More for this terminal' }).click();
      await page.getByRole('menuitem', { name: 'Address for machines' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
    },
  ],
  [
    'by another one, from the choice of a machine',
    async (page) => {
      await page.getByRole('button', { name: 'Open another terminal' }).click();
      const choice = page.getByRole('dialog').getByRole('button', { name: NAME });
      await choice.click();
      await page.getByRole('tab', { name: `${NAME} 2` }).waitFor();
    },
  ],
  ['by the tab of the other one', (page) => page.getByRole('tab', { name: `${NAME} 1` }).click()],
  [
    'from another page',
    async (page) => {
      await page.getByRole('link', { name: 'Tasks' }).first().click();
      await page.goBack();
    },
  ],
];
test('the keyboard is in the terminal, however one came to it', async () => {
  await kit.using(async ({ page }) => {
    await prompt(page);
    for (const [at, [way, go]] of ways.entries()) {
      await go(page);
      await prompt(page);
      await page
        .locator('textarea:focus')
        .waitFor()
        .catch(() => assert.unreachable(way));
      await page.keyboard.type(`echo way-$((${at}+100))\n`);
      const typed = page
        .locator('.xterm-rows')
        .getByText(`way-${at + 100}`)
        .first();
      await typed.waitFor().catch(() => assert.unreachable(way));
    }
  }, `terminal/${AGENT}`);
});

test('the last terminal leaves the choice of a machine', async () => {
  await button('Close').first().click();
  await window.page.getByRole('heading', { name: 'Open a terminal' }).waitFor();
  assert.equal(window.problems, []);
});

if (reason) process.stdout.write(`  skipped: ${reason}\n`);
else test.run();
