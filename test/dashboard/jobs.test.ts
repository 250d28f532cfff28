// proof only: 20
/** The page Jobs: the server's own reading of cron fields in words, and jobs that a real agent runs. */
import fc from 'fast-check';
import * as assert from 'uvu/assert';
import { type Running, stopAgent } from '../agent-program-process.ts';
import { suite } from '../runner/suite.ts';
import { AGENT, startTaskAgent } from './agent.ts';
import { type Kit, missing, startKit, type Window } from './kit.ts';

const test = suite('dashboard: jobs');
let kit: Kit;
let agent: Running;
let window: Window;

test.before(async () => {
  kit = await startKit({ machines: 2 });
  agent = await startTaskAgent(kit.app);
  window = await kit.open('jobs');
});

test.after(async () => {
  await window?.close();
  await stopAgent(agent);
  await kit?.stop();
});

const button = (name: string) => window.page.getByRole('button', { name, exact: true });
const field = () => window.page.getByLabel('Schedule (cron, UTC)');
const times = () => window.page.getByRole('list', { name: 'The next five times' });

test('without jobs the page says what one is for, and begins one', async () => {
  await window.page.getByRole('heading', { name: 'No jobs yet' }).waitFor();
  await button('New job').click();
  await window.page.getByRole('heading', { name: 'New job' }).waitFor();
});

for (const [expression, words] of [
  ['*/20 * * * * *', 'Every 20 seconds'],
  ['0 */5 * * * *', 'Every 5 minutes'],
  ['30 * * * * *', 'Every minute, at second 30'],
  ['0 15 * * * *', 'Every hour, at :15'],
  ['0 0 3 * * *', 'Every day at 03:00 UTC'],
  ['0 30 8,20 * * *', 'Every day at 08:30 and 20:30 UTC'],
  ['0 0 9 * * mon-fri', 'Monday to Friday at 09:00 UTC'],
  ['0 0 0 * * 0', 'Sunday at 00:00 UTC'],
  ['@monthly', 'On day 1 of the month at 00:00 UTC'],
  ['*/20 * * * 1 *', 'in January: Every 20 seconds'],
  ['0 0 12 1 1 ? 2080', 'On day 1 of the month, in January, in 2080 at 12:00 UTC'],
] as const)
  test(`${expression} is said as "${words}"`, async () => {
    await field().fill(expression);
    await window.page.locator('.jobs-cron strong').getByText(words, { exact: true }).waitFor();
  });

test('the next five times are those at which the server fires', async () => {
  await field().fill('0 0 3 1 * *');
  const shown = await times()
    .locator('time')
    .evaluateAll((list) => list.map((one) => one.getAttribute('datetime')));
  const now = new Date();
  const months = [1, 2, 3, 4, 5].map(
    (at) => new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + at, 1, 3)),
  );
  assert.equal(
    shown,
    months.map((one) => one.toISOString()),
  );
  await field().fill('0 0 0 30 2 *');
  await window.page.getByText('This time never comes.').waitFor();
});

test('what the server would refuse is said while it is written, and is not sent', async () => {
  await field().fill('0 0 * * *');
  await window.page.getByText('The server would refuse it').waitFor();
  assert.is(await button('Save').isDisabled(), true);
});

const usual = ['*', '1', '5', '*/5', '1-5', '2/2', '1-3/2', '04', '3,1'];
const odd = ['?', '0', 'mon', 'jan-mar', 'fri-mon', '60', '*/60', '31', '2026', 'L', '7', ''];
const item = fc.oneof(
  { weight: 8, arbitrary: fc.constantFrom(...usual) },
  { weight: 1, arbitrary: fc.constantFrom(...odd) },
);
const expressions = fc
  .array(item, { minLength: 5, maxLength: 7 })
  .map((fields) => fields.join(' '));

test('the page takes the expressions that the server takes, and no others', async () => {
  const all = fc.sample(expressions, { numRuns: 100, seed: 15 });
  const requests = all.map((cron_expression, id) => ({
    jsonrpc: '2.0',
    id,
    method: 'crontab_create',
    params: [
      kit.app.superToken,
      `p${id}`,
      cron_expression,
      { server: { js_worker: ['none', null] } },
    ],
  }));
  const answers: { id: number; error?: unknown }[] = await kit.app.rpc(requests);
  const accepted = all.filter((_, at) => !answers.find(({ id }) => id === at)?.error);
  assert.ok(accepted.length > 10 && accepted.length < 90, `${accepted.length} of ${all.length}`);
  const taken: string[] = [];
  for (const expression of all) {
    await field().fill(expression);
    if (
      !(await field()
        .getAttribute('aria-invalid')
        .then((value) => value === 'true'))
    )
      taken.push(expression);
  }
  assert.equal(taken, accepted);
  await kit.app.rpc(
    all.map((_, id) => ({
      jsonrpc: '2.0',
      id,
      method: 'crontab_delete',
      params: [kit.app.superToken, `p${id}`],
    })),
  );
});

test('a job is made, runs now on its machine, and is shown in the list with its next run', async () => {
  const { page } = window;
  await page.getByLabel('Name', { exact: true }).fill('disk space');
  await field().fill('0 0 3 * * *');
  await page.getByLabel('Command line').fill('echo space-$((6*7))');
  // The simulated machines report and take no tasks.
  await page.locator('.machine-list').getByText('tasks off').first().waitFor();
  assert.is(await page.locator('.machine-list').getByText('offline').count(), 0);
  // It is called by its UUID until its host name is known.
  await page.locator('.machine-list label', { has: page.getByTitle(AGENT) }).check();
  assert.equal(await window.findings(), []);
  await button('Save').click();
  await page.getByRole('heading', { name: 'disk space' }).waitFor();
  const [job] = await kit.app.call('crontab_get', [kit.app.superToken]);
  assert.equal(job.cron_type, {
    agent: [[AGENT], { task: { execute: { cmd: 'sh', args: ['-c', 'echo space-$((6*7))'] } } }],
  });
  await button('Run now').click();
  await button('Start').click();
  await page.getByRole('article').getByText('space-42').waitFor();
  await page.getByRole('navigation').getByRole('link', { name: 'Jobs' }).first().click();
  await page.getByText('Every day at 03:00 UTC').waitFor();
  await page.getByText(/^Next in /).waitFor();
});

test('a schedule is told by the clock of the reader', async () => {
  const { page, problems, close } = await kit.open('jobs', { language: 'en-US' });
  await page.getByText(/^Every day at 3:00\sAM UTC$/).waitFor();
  assert.equal(problems, []);
  await close();
});

test('a job is switched off and on', async () => {
  const knob = window.page.getByRole('switch', { name: 'disk space runs on schedule' });
  await knob.click();
  await window.page.getByText('Off', { exact: true }).waitFor();
  await knob.click();
  await window.page.getByText(/^Next in /).waitFor();
});

test('runs are dots, and each says what came of it', async () => {
  const { page } = window;
  const task = { execute: { cmd: 'echo', args: ['tick'] } };
  const machines = [AGENT, kit.machines[0]!.uuid];
  const job = ['every second', '* * * * * *', { agent: [machines, { task }] }];
  await kit.app.call('crontab_create', [kit.app.superToken, ...job]);
  await page.goto(`${kit.app.url}/svc/dashboard/jobs/every%20second`);
  await page.getByText('1 of 2 machines').first().waitFor();
  await page.locator('.jobs-records').getByText('tick').first().waitFor();
  await page.getByRole('img', { name: /\d+ incomplete/ }).waitFor();
  await kit.app.call('crontab_set_enable', [kit.app.superToken, 'every second', false]);
  assert.equal(await window.findings(), []);
});

test('a run whose only machine was away says so in the list', async () => {
  const { page } = window;
  const task = { execute: { cmd: 'true', args: [] } };
  const job = ['nobody', '* * * * * *', { agent: [[kit.machines[0]!.uuid], { task }] }];
  await kit.app.call('crontab_create', [kit.app.superToken, ...job]);
  await page.goto(`${kit.app.url}/svc/dashboard/jobs`);
  const row = page.getByRole('listitem').filter({ hasText: 'nobody' });
  await row.getByText('failed: the machine was not connected').waitFor();
  await kit.app.call('crontab_delete', [kit.app.superToken, 'nobody']);
  await page.goto(`${kit.app.url}/svc/dashboard/jobs/every%20second`);
});

test('deleting asks what is lost, and can be undone', async () => {
  const { page } = window;
  await button('Delete').click();
  const dialog = page.getByRole('dialog', { name: 'Delete the job every second?' });
  await dialog.getByText('results stay').waitFor();
  await dialog.getByRole('button', { name: 'Delete' }).click();
  await page.getByText('every second is deleted.').waitFor();
  await button('Undo').click();
  await page.getByRole('link', { name: 'every second' }).waitFor();
  const list = await kit.app.call('crontab_get', [kit.app.superToken]);
  const found = list.find(({ name }: { name: string }) => name === 'every second');
  assert.equal([found.cron_expression, found.cron_type.agent[0].length], ['* * * * * *', 2]);
});

test('nothing serious is found by axe-core, and nothing went wrong', async () => {
  assert.equal(await window.findings(), []);
  assert.equal(window.problems, []);
});

test('on a phone, in Chinese and dark, a job is edited', async () => {
  const { page, findings, problems, close } = await kit.open('jobs/disk%20space', {
    width: 390,
    height: 844,
    dark: true,
    language: 'zh-CN',
  });
  await page.getByRole('button', { name: '编辑' }).click();
  await page.getByLabel('时间（cron，UTC）').fill('0 */5 * * * *');
  await page.locator('.jobs-cron strong').getByText('每 5 分钟').waitFor();
  assert.equal(await findings(), []);
  assert.ok(await page.evaluate('document.documentElement.scrollWidth <= innerWidth'));
  await page.getByRole('button', { name: '保存' }).click();
  await page.getByText('disk space 已保存。').waitFor();
  assert.equal(problems, []);
  await close();
});

if (missing) process.stdout.write(`  skipped: ${missing}\n`);
else test.run();
