// proof only: 15
/** The page of the workers in a browser: a script is written, deployed, run, tried as a route, and its log is followed. */

import * as assert from 'uvu/assert';
import { suite } from '../runner/suite.ts';
import { type Kit, missing, startKit, type Window } from './kit.ts';

let kit: Kit;
const suiteOf = suite('dashboard workers');
const test = missing ? suiteOf.skip : suiteOf;
if (missing) process.stdout.write(`  skipped: ${missing}\n`);

const call = (method: string, params: object): Promise<any> =>
  kit.app.call(method, { token: kit.app.superToken, ...params });
const inBase64 = (text: string) => Buffer.from(text).toString('base64');
const scriptOf = async (name: string) =>
  Buffer.from((await call('js-worker_read', { name })).js_script_base64, 'base64').toString();

const GREETER = `export default {
  onCall: ({ name }) => ({ 你好: name }),
  onRoute: async (request) => new Response(request.method + ' ' + await request.text(), { status: 201 }),
};
`;

suiteOf.before(async () => {
  if (missing) return;
  kit = await startKit({ machines: 1 });
  const js_script_base64 = inBase64(GREETER);
  await call('js-worker_create', { name: 'greeter', js_script_base64, route_name: 'greet' });
});
suiteOf.after(() => kit?.stop());

/** As a person: everything is selected and typed over. */
async function write(page: Window['page'], editor: ReturnType<typeof page.locator>, text: string) {
  await editor.focus();
  await page.keyboard.press('Control+a');
  await page.keyboard.press('Delete');
  await page.keyboard.insertText(text);
}

test('a new worker begins with an example that runs at once, and its log appears while it runs', () =>
  kit.using(async ({ page, findings }) => {
    await page.getByRole('button', { name: 'New worker' }).click();
    await page.getByLabel('Name').fill('first 脚本');
    await page.keyboard.press('Enter');
    await page.getByLabel('Script of first 脚本').waitFor();
    await page.getByText('live', { exact: true }).waitFor();
    await page.getByLabel('Parameters as JSON').fill('{"name": "Ada"}');
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    await page.getByText('Done in').waitFor();
    assert.match(
      (await page.getByRole('region', { name: 'Result' }).textContent()) ?? '',
      '"hello": "Ada"',
    );
    await page.getByRole('log').getByText('called with {"name":"Ada"}').waitFor();
    assert.equal(await findings(), []);
    await page.getByRole('tab', { name: 'Results' }).click();
    await page.getByRole('listitem').getByText('Done in').waitFor();
  }, 'workers'));

test('deploying says in words what changes, and a mistake in the script leads to its line', () =>
  kit.using(async ({ page, findings }) => {
    const editor = page.getByLabel('Script of greeter');
    await editor.waitFor();
    await write(page, editor, `${GREETER}\nconst = 1;\n`);
    await page.getByText('Not saved', { exact: true }).waitFor();
    await page.getByRole('tab', { name: 'Settings' }).click();
    await page.getByLabel('Route', { exact: true }).fill('hello');
    await page.getByRole('button', { name: 'Save' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('Script: 2 lines added, 0 removed.').waitFor();
    await dialog.getByText('/svc/worker-route/greet stops answering.').waitFor();
    await dialog.getByText('can call /svc/worker-route/hello.').waitFor();
    assert.equal(await findings(), []);
    await dialog.getByRole('button', { name: 'Deploy' }).click();
    await dialog.getByRole('alert').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Go to line 6' }).click();
    assert.match((await page.locator('.cm-activeLine').textContent()) ?? '', 'const = 1;');
    assert.is(await scriptOf('greeter'), GREETER);
    await write(page, editor, `${GREETER}// kept\n`);
    await page.keyboard.press('Control+s');
    await dialog.getByRole('button', { name: 'Deploy' }).click();
    await page.getByText('greeter is deployed.').waitFor();
    assert.is(await scriptOf('greeter'), `${GREETER}// kept\n`);
    assert.is(await page.getByText('Not saved', { exact: true }).count(), 0);
  }, 'workers?name=greeter'));

test('a route is tried from the panel, with method, headers and body, and its answer never runs', () =>
  kit.using(
    async ({ page, findings }) => {
      await page.getByLabel('Handler').selectOption('route');
      await page.getByLabel('Method').selectOption('POST');
      await page.getByLabel('Body').fill('<b>世界</b>');
      await page.getByRole('button', { name: 'Run', exact: true }).click();
      await page.getByText('Status 201').waitFor();
      assert.is(
        await page.getByRole('region', { name: 'Result' }).textContent(),
        'POST <b>世界</b>',
      );
      assert.equal(await findings(), []);
    },
    'workers?name=greeter',
    { dark: true },
  ));

test('a deleted worker comes back with its route, and what is not saved outlives a look at the list', () =>
  kit.using(async ({ page }) => {
    const js_script_base64 = inBase64(GREETER);
    await call('js-worker_create', { name: 'spare', js_script_base64, route_name: 'spare' });
    const editor = page.getByLabel('Script of greeter');
    await write(page, editor, `${GREETER}// draft\n`);
    await page.getByText('Not saved', { exact: true }).waitFor();
    await page.locator('.top').getByRole('link', { name: 'Workers' }).click();
    await page.getByRole('link', { name: 'greeter' }).click();
    await page.locator('.cm-content').getByText('// draft').waitFor();
    await page.getByRole('button', { name: 'Discard changes' }).click();
    await page.locator('.top').getByRole('link', { name: 'Workers' }).click();
    await page.getByRole('link', { name: 'spare' }).click();
    await page.getByRole('button', { name: 'Delete this worker' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete', exact: true }).click();
    await page.getByText('spare is deleted.').waitFor();
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByLabel('Script of spare').waitFor();
    assert.is((await call('js-worker_read', { name: 'spare' })).route_name, 'spare');
  }, 'workers?name=greeter'));

test('a token that may only read sees the script and no way to change or run it; a phone has it in one column', async () => {
  const token = await kit.app.token([
    {
      scopes: [{ js_worker: 'greeter' }],
      permissions: [{ js_worker: 'list_all_js_worker' }, { js_worker: 'read' }],
    },
  ]);
  await kit.using(
    async ({ page, findings }) => {
      await page.getByRole('link', { name: 'greeter' }).click();
      await page.getByText('Your token may read this worker, not change it.').waitFor();
      await page.getByText('Your token may not run this worker.').waitFor();
      await page.getByText('The log needs the right').waitFor();
      await page.locator('.cm-content').waitFor();
      assert.is(await page.getByRole('button', { name: /Save|Delete|Run|New/ }).count(), 0);
      assert.equal(await findings(), []);
      assert.ok(await page.evaluate('document.documentElement.scrollWidth <= innerWidth'));
    },
    'workers',
    { token, width: 390, height: 844 },
  );
});

suiteOf.run();
