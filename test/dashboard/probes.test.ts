// proof only: 45
/** The page of probes in a browser, behind the log-in form: adding one, what 31 machines say of a target, and their curves. */
import * as assert from 'uvu/assert';
import { type Running, stopAgent } from '../agent-program-process.ts';
import { eventually } from '../protocol/token-kit.ts';
import { suite } from '../runner/suite.ts';
import { AGENT, startTaskAgent } from './agent.ts';
import { behindForm, LANGUAGES, sideways } from './door.ts';
import { type Kit, missing, nameOf, startKit, uuidOf } from './kit.ts';
import { LOSSY, measured, SILENT, SLOW } from './probing.ts';

const MACHINES = 31;
let kit: Kit;
let agent: Running | undefined;
const suiteOf = suite('dashboard probes');
const test = missing ? suiteOf.skip : suiteOf;
if (missing) process.stdout.write(`  skipped: ${missing}\n`);

suiteOf.before(async () => {
  if (missing) return;
  kit = await startKit({ machines: MACHINES });
  agent = await startTaskAgent(kit.app);
});
suiteOf.after(async () => {
  if (agent) await stopAgent(agent);
  await kit?.stop();
});

const shop = 'shop.example.net:443';
const open = `probes?probe=${encodeURIComponent(`tcp_ping ${shop}`)}`;

test('a probe is added by the form of the empty page, and what its machine measures appears', () =>
  behindForm(kit, 'probes', {}, async ({ page, findings }) => {
    await page.getByText('npx svc call crontab_create').waitFor();
    await page.getByRole('button', { name: 'Add a probe' }).click();
    const form = page.getByRole('dialog', { name: 'Add a probe' });
    await form.getByLabel('What to measure').selectOption({ label: 'TCP port' });
    const target = form.getByLabel('Host and port');
    const add = form.locator('button[type=submit]');
    for (const wrong of ['example.net', 'https://example.net:443', 'a b:80']) {
      await target.fill(wrong);
      await form.getByText('Write it as host:port.').waitFor();
      assert.ok(await add.isDisabled(), wrong);
    }
    const { port } = new URL(kit.app.url);
    await target.fill(`127.0.0.1:${port}`);
    await form.getByLabel('How often').selectOption({ label: 'Every 10 seconds' });
    assert.is(await form.getByLabel('Name of the job').inputValue(), `TCP 127.0.0.1:${port}`);
    // Only the agent takes tasks, and is chosen.
    await form.getByText('Machines (1 chosen)').waitFor();
    await form.getByLabel('Find by name, tag or UUID').fill(AGENT);
    // It is called by its UUID until its host name is known.
    const box = form.locator('.machine-list label', { has: page.getByTitle(AGENT) });
    await box.uncheck();
    await form.getByRole('button', { name: 'Add the probe' }).waitFor();
    assert.ok(await add.isDisabled(), 'no machine is chosen');
    await box.check();
    await form.getByText('8,640 measurements a day').waitFor();
    assert.equal(await findings(), []);
    await form.getByRole('button', { name: 'Measure from one machine' }).click();
    await page.getByText(`127.0.0.1:${port} is being measured.`).waitFor();
    const [job] = await kit.app.call('crontab_get', [kit.app.superToken]);
    assert.equal(
      [job.name, job.cron_expression, job.cron_type],
      [
        `TCP 127.0.0.1:${port}`,
        '*/10 * * * * *',
        { agent: [[AGENT], { task: { tcp_ping: `127.0.0.1:${port}` } }] },
      ],
    );
    const card = page.getByRole('region', { name: `127.0.0.1:${port}` });
    await card.getByText(/^One machine, median \S+ ms$/).waitFor({ timeout: 60_000 });
    await kit.app.call('crontab_delete', [kit.app.superToken, job.name]);
  }));

const BARE = '0b6f1c52-7a35-4d0e-9c1b-00000000ba4e';
const DENIED = 'Permission Denied: Task not allowed';
const ALLOWS = [
  'npx svc-server allow-tasks tcp_ping',
  'sh /opt/svc-agent/install.sh --allow tcp_ping',
];
const WHY = 'the program ping is not installed';

test('a probe without an answer says why, since when and what to do, on Probes, on the machine and in Jobs', async () => {
  // Its programs are nowhere, and its file allows no connections to ports.
  const bare = await startTaskAgent(kit.app, BARE, { kinds: ['ping'], env: { PATH: '/nowhere' } });
  try {
    const job = (name: string, task: object) =>
      kit.app.call('crontab_create', [
        kit.app.superToken,
        name,
        '* * * * * *',
        { agent: [[BARE], { task }] },
      ]);
    await job('no program', { ping: '127.0.0.1' });
    await job('not allowed', { tcp_ping: '127.0.0.1:9' });
    for (const name of ['no program', 'not allowed']) {
      const condition = [{ cron_source: name }, 'is_failure', 'last'];
      await eventually(async () =>
        assert.is(
          (await kit.app.call('task_query', [kit.app.superToken, { condition }])).length,
          1,
        ),
      );
    }
    await behindForm(kit, 'probes', {}, async ({ page, findings }) => {
      const ping = page.getByRole('region', { name: '127.0.0.1', exact: true });
      await ping.getByText(`${WHY} · No answer in the last 24 hours`).waitFor();
      await ping.getByTitle('Show 127.0.0.1').click();
      await ping.getByText(WHY).waitFor();
      await ping.getByText(/apt install iputils-ping/).waitFor();
      assert.equal(await findings(), []);
      const port = page.getByRole('region', { name: '127.0.0.1:9', exact: true });
      await port.getByText(/Task not allowed/).waitFor();
      await port.getByTitle('Show 127.0.0.1:9').click();
      for (const command of ALLOWS) await port.getByText(command, { exact: true }).waitFor();
      assert.is(await page.getByText('Other error').count(), 0);
    });
    await behindForm(kit, `agent/${BARE}/probes`, {}, async ({ page, findings }) => {
      await page.getByText(WHY).waitFor();
      for (const command of ALLOWS) await page.getByText(command, { exact: true }).waitFor();
      assert.equal(await findings(), []);
    });
    // The list shows how the newest run ended: none may be under way.
    await kit.app.call('crontab_set_enable', [kit.app.superToken, 'no program', false]);
    const newest = [{ cron_source: 'no program' }, 'last'];
    await eventually(async () => {
      const [run] = await kit.app.call('task_query', [kit.app.superToken, { condition: newest }]);
      assert.is(run.success, false);
    });
    await behindForm(kit, 'jobs', {}, async ({ page, findings }) => {
      const row = page.getByRole('listitem').filter({ hasText: 'no program' });
      await row.getByText(`failed: ${WHY}`).waitFor();
      await row.locator('.jobs-dot.bad').first().waitFor();
      assert.equal(await findings(), []);
      await row.getByRole('link', { name: 'no program' }).click();
      await page.locator('.jobs-records').getByText(WHY, { exact: true }).first().waitFor();
      assert.is(await page.getByText('Other error').count(), 0);
    });
  } finally {
    for (const name of ['no program', 'not allowed'])
      await kit.app.call('crontab_delete', [kit.app.superToken, name]);
    await stopAgent(bare);
  }
});

const MENDED = 2;
const cured = '192.0.2.44:80';

test('a machine that answers again needs no look, and its page gives no advice', async () => {
  await kit.app.sql('delete from task');
  const rows = (from: number, to: number, success: boolean, at = MENDED) =>
    Array.from({ length: to - from }, (_, nth) => {
      const time = Date.now() - (to - nth) * 10_000;
      const [result, error] = success ? ['\'{"tcp_ping":3}\'', 'null'] : ['null', `'${DENIED}'`];
      return `(x'${uuidOf(at).replaceAll('-', '')}', 'x', ${time}, ${success}, '{"tcp_ping":"${cured}"}', ${result}, ${error}, 'tcp_ping', ${time})`;
    });
  const write = (values: readonly string[]) =>
    kit.app.sql(`insert into task (uuid, token, timestamp, success, task_event_type, task_event_result, error_message,
      type_name, created_at) values ${values.join(', ')}`);
  await write([...rows(30, 60, false), ...rows(1, 60, true, 1)]);
  const pages = [`probes?probe=tcp_ping+${cured}`, `agent/${uuidOf(MENDED)}/probes`];
  for (const path of pages)
    await behindForm(kit, path, {}, async ({ page }) => {
      await page.getByText(DENIED).waitFor();
      await page.waitForLoadState('networkidle');
      // The curves are those of the machine that lost nothing.
      assert.is(await page.getByText('Nothing was lost').count(), 0);
    });
  await write(rows(1, 30, true));
  await behindForm(kit, pages[0]!, {}, async ({ page }) => {
    const card = page.getByRole('region', { name: cured });
    await card.getByText(/^All 2 machines, median 3/).waitFor();
    await page.waitForLoadState('networkidle');
    assert.is(await page.getByText(DENIED).count(), 0);
    await card.getByTitle(`Hide ${cured}`).click();
    assert.is(await card.getByRole('list', { name: 'One needs attention' }).count(), 0);
  });
  await behindForm(kit, pages[1]!, {}, async ({ page }) => {
    await page.locator('dt', { hasText: 'Loss' }).waitFor();
    await page.waitForLoadState('networkidle');
    assert.is(await page.getByText(DENIED).count(), 0);
  });
});

test('a probe whose machine has not measured yet says this, and not that the machine is away', async () => {
  const name = 'not yet';
  const agents = [[AGENT], { task: { ping: '192.0.2.98' } }];
  await kit.app.call('crontab_create', [
    kit.app.superToken,
    name,
    '0 0 0 1 1 *',
    { agent: agents },
  ]);
  await behindForm(kit, 'probes?probe=ping+192.0.2.98', {}, async ({ page }) => {
    const card = page.getByRole('region', { name: '192.0.2.98' });
    await card.getByText('No measurement yet', { exact: true }).waitFor();
    assert.is(await card.getByText('Away').count(), 0);
  });
  await kit.app.call('crontab_delete', [kit.app.superToken, name]);
});

// What follows has something to show.
suiteOf('three targets were measured by 31 machines', async () => {
  if (missing) return;
  await kit.app.sql('delete from task');
  await measured(kit, MACHINES);
});

test('a target leads with the answer of all machines, then names those that need attention', () =>
  behindForm(kit, 'probes', {}, async ({ page, findings }) => {
    const card = page.getByRole('region', { name: shop });
    await card
      .getByText(
        /^27 of 31 machines, median 5\d\.\d ms, slowest web-5 9\d\.\d ms; 1 without an answer, 3 away$/,
      )
      .waitFor();
    const looks = card.getByRole('list', { name: '3 need attention' });
    await looks.waitFor();
    const said = await looks.getByRole('listitem').allInnerTexts();
    assert.equal(said.slice(0, 2), [
      `${nameOf(SILENT)}\nno answer within 2 s · No answer in the last 24 hours`,
      `${nameOf(LOSSY)}\n20% lost`,
    ]);
    assert.match(said[2] ?? '', /^web-5\n9\d\.\d ms instead of the usual 2\d\.\d ms$/);
    assert.is(await page.getByRole('table').count(), 0);
    assert.equal(await findings(), []);
  }));

test('an open target has every machine: those that need attention, then the others folded by tag, the slowest first', () =>
  behindForm(kit, 'probes', {}, async ({ page, findings }) => {
    await page.getByTitle(`Show ${shop}`).click();
    const card = page.getByRole('region', { name: shop });
    await card.locator('canvas').first().waitFor();
    assert.match(page.url(), 'probe=tcp_ping+shop');
    const legend = card.locator('.chart-legend').first();
    assert.is(await legend.locator('li').count(), 8);
    assert.ok(await legend.evaluate((box) => box.scrollHeight <= box.clientHeight), 'clipped');
    await card.getByText('3 need attention').waitFor();
    // The curves are those of eight machines; others have lost.
    assert.is(await card.getByText('Nothing was lost').count(), 0);
    assert.equal(await card.locator('summary strong').allInnerTexts(), [
      '3 need attention',
      'db',
      'edge',
      'build',
      'web',
      'Away',
    ]);
    await card.locator('summary', { hasText: 'db' }).click();
    const group = card.locator('details', { hasText: '6 machines' }).first();
    await group.locator('tbody tr').nth(5).waitFor();
    const figures = await group.locator('tbody tr td:nth-child(2)').allInnerTexts();
    const values = figures.map((text) => Number(text.replace(' ms', '')));
    assert.is(figures.length, 6);
    assert.ok(
      figures.every((text) => /^\d{1,3} ms$/.test(text)),
      figures.join(),
    );
    assert.equal(
      values,
      values.toSorted((a, b) => b - a),
    );
    await card.locator('summary', { hasText: 'Away' }).click();
    await card.getByText('db-30, edge-31, web-29').waitFor();
    assert.equal(await findings(), []);
    await page.getByTitle(`Hide ${shop}`).click();
    await card.locator('canvas').first().waitFor({ state: 'detached' });
  }));

test('a machine opens its percentiles and curves, the address has it, and going back shows all', () =>
  behindForm(kit, open, {}, async ({ page }) => {
    const card = page.getByRole('region', { name: shop });
    await card.getByTitle(`Show the curve of ${nameOf(SLOW)}`).click();
    for (const label of ['Median', 'p95', 'p99', 'Usual'])
      await card.locator('dt', { hasText: label }).waitFor();
    await card.getByRole('figure', { name: 'Latency' }).locator('canvas').waitFor();
    assert.match(page.url(), `machine=${uuidOf(SLOW)}`);
    await page.goBack();
    await card.getByText('The curves of the 8 slowest of 31 machines.').waitFor();
  }));

for (const [at, language] of LANGUAGES.entries())
  for (const width of at === 0 ? [1440, 1024, 390] : [390])
    test(`nothing sticks out, and readers of the screen lose nothing: ${language}, ${width} px`, () =>
      behindForm(
        kit,
        open,
        { language, width, height: 844, dark: width === 1024 },
        async ({ page, findings }) => {
          const card = page.getByRole('region', { name: shop });
          await card.locator('canvas').first().waitFor();
          assert.is(await sideways(page), 0);
          const said = await card.locator('.probes-answer').innerText();
          assert.match(said, language === 'de-DE' ? /\d,\d ms/ : /\d\.\d ms/);
          assert.equal(await findings(), []);
        },
      ));

test('words for readers of the screen at the end of a wide box do not widen the page', () =>
  behindForm(kit, 'probes', {}, async ({ page }) => {
    await page.locator('#content .page').waitFor();
    await page.evaluate(`{
      const [box, wide, words] = ['div', 'div', 'span'].map((name) => document.createElement(name));
      box.style.overflow = 'auto';
      Object.assign(wide.style, { width: '4000px', textAlign: 'right' });
      words.className = 'sr';
      words.textContent = 'words';
      wide.append(words);
      box.append(wide);
      document.querySelector('#content .page').append(box);
    }`);
    assert.is(await sideways(page), 0);
  }));

test('a target that nobody measured in this time says so, without an empty chart', async () => {
  await kit.app.call('crontab_create', [
    kit.app.superToken,
    'never yet',
    '0 0 0 1 1 *',
    { agent: [[uuidOf(0)], { task: { ping: '192.0.2.99' } }] },
  ]);
  await kit.machines[0]?.report();
  await behindForm(kit, 'probes?probe=ping+192.0.2.99', {}, async ({ page }) => {
    const card = page.getByRole('region', { name: '192.0.2.99' });
    await card.getByText('No measurements in this period.').waitFor();
    // The simulated machine reports and takes no tasks.
    await card.getByText(/^Tasks are off there: web-1$/).waitFor();
    await card.getByText('npx svc-server allow-tasks ping', { exact: true }).waitFor();
    assert.is(await card.getByRole('figure').count(), 0);
  });
  await kit.app.call('crontab_delete', [kit.app.superToken, 'never yet']);
});

test('the page of a machine has its probes, with loss where some were lost', () =>
  behindForm(kit, `agent/${uuidOf(LOSSY)}/probes`, {}, async ({ page, findings }) => {
    await page.getByRole('heading', { name: shop }).waitFor();
    await page.getByTitle('5 of 25 lost').first().waitFor();
    await page.getByRole('figure', { name: 'Loss' }).first().locator('canvas').waitFor();
    assert.equal(await findings(), []);
  }));

test('a token for one kind of probe sees these and cannot add any, and without any one sentence says what is missing', async () => {
  const scopes = [0, 1, 2].map((at) => ({ agent_uuid: uuidOf(at) }));
  const one = await kit.app.token([
    { scopes: ['global'], permissions: [{ task: { read: 'ping' } }] },
  ]);
  await behindForm(kit, 'probes', { typed: { token: one } }, async ({ page }) => {
    await page.getByRole('heading', { name: '192.0.2.7' }).waitFor();
    assert.is(await page.getByText('example').count(), 0);
    assert.is(await page.getByRole('button', { name: 'Add a probe' }).count(), 0);
  });
  const none = await kit.app.token([{ scopes, permissions: [{ kv: { read: 'x' } }] }]);
  await behindForm(kit, 'probes', { typed: { token: none } }, async ({ page }) => {
    await page.getByText('this page needs: task read').waitFor();
  });
});

suiteOf.run();
