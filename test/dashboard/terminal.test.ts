// proof only: 12
/** The terminal of the dashboard, with a real agent and a real shell. */

import * as assert from 'uvu/assert';
import type { Running } from '../agent-program-process.ts';
import { until as eventually, stopAgent } from '../agent-program-process.ts';
import { suite } from '../runner/suite.ts';
import { AGENT, hasPty, startTaskAgent } from './agent.ts';
import { type Kit, missing, startKit, until, type Window } from './kit.ts';

const test = suite('dashboard: terminal');
const reason = missing ?? (hasPty ? undefined : 'the optional package @lydell/node-pty is absent');
let kit: Kit;
let agent: Running;
let window: Window;

test.before(async () => {
  kit = await startKit({ machines: 1 });
  agent = await startTaskAgent(kit.app);
  window = await kit.open(`terminal/${AGENT}`);
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

async function type(text: string): Promise<void> {
  await window.page.locator('.xterm-helper-textarea').focus();
  await window.page.keyboard.type(`${text}\n`);
}

test('a shell on the machine answers what is typed', async () => {
  await window.page.getByRole('tab', { name: AGENT.slice(0, 8) }).waitFor();
  await window.page.locator('.xterm-rows').waitFor();
  await type('echo $((6*7))-$TERM');
  await shows('42-xterm');
});

test('no address has the credential of the reader, and the one that it has ends with the terminals', async () => {
  const { sessions } = await kit.app.call('session_list', [kit.app.superToken]);
  assert.equal(
    sessions.map(({ name }: { name: string }) => name).filter((name: string) => name !== ''),
    ['Terminals of the dashboard'],
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
  await window.page.getByRole('searchbox', { name: 'Search' }).fill('from-the-clipboard');
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
  await window.page
    .getByRole('dialog')
    .getByRole('button', { name: AGENT.slice(0, 8) })
    .click();
  await window.page.getByRole('tab', { name: `${AGENT.slice(0, 8)} 2` }).waitFor();
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
  await window.page.getByRole('tab', { name: AGENT.slice(0, 8) }).click();
});

test('a shell that ends says so, and Enter starts a new one', async () => {
  await type('exit');
  await window.page.getByText(/The shell has ended|connection was lost/).waitFor();
  await button('New shell').click();
  await type('echo again-$((2+2))');
  await shows('again-4');
});

test('the last terminal takes the session with it', async () => {
  await button('Close').click();
  await window.page.getByRole('heading', { name: 'Open a terminal' }).waitFor();
  const list = () => kit.app.call('session_list', [kit.app.superToken]);
  await eventually('the end of the session', list, ({ sessions }) => sessions.length === 0);
  assert.equal(window.problems, []);
});

if (reason) process.stdout.write(`  skipped: ${reason}\n`);
else test.run();
