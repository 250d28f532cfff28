/** Every page of the dashboard with rights, plugins or the server missing: what cannot be is not offered, and nothing fails. */

import { bootForTest } from '@svc/plugin-sdk/testing';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type Kit, machineOf, missing, startKit, until, uuidOf, type Window } from './kit.ts';
import { type Line, lineOf } from './line.ts';

let kit: Kit;
const suiteOf = suite('dashboard: states');
const test = missing ? suiteOf.skip : suiteOf;
if (missing) process.stdout.write(`  skipped: ${missing}\n`);

suiteOf.before(async () => {
  if (missing) return;
  kit = await startKit({ machines: 3 });
  const token = kit.app.superToken;
  await kit.app.call('status-page_create', {
    token,
    slug: 'main',
    page: { title: 'Example', entries: [{ name: 'web', agent: uuidOf(0) }] },
  });
  await kit.app.call('db_create', { token, name: 'shop' });
  await kit.app.call('static-bucket_create', {
    token,
    name: 'site',
    path: 'site',
    is_http_root: false,
    cors: false,
  });
  const js_script_base64 = Buffer.from('export default {}').toString('base64');
  await kit.app.call('js-worker_create', { token, name: 'nightly', js_script_base64 });
  await kit.app.call('crontab_create', {
    token,
    name: 'pings',
    cron_expression: '0 0 * * * *',
    cron_type: { agent: [[uuidOf(0)], { task: { ping: '192.0.2.1' } }] },
  });
});
suiteOf.after(() => kit?.stop());

const machine = `agent/${uuidOf(0)}`;
/** Every page with its tabs, and the plugins without which it is not there or lacks a part. */
const PLACES: readonly (readonly [address: string, ...plugins: string[]])[] = [
  ['', 'agent', 'series', 'agent-events', 'kv', 'task'],
  ['?view=table', 'agent'],
  [machine, 'agent', 'series', 'agent-events', 'kv', 'task', 'terminal'],
  [`${machine}/charts`, 'agent', 'series', 'agent-events'],
  [`${machine}/probes`, 'task', 'crontab'],
  [`${machine}/tasks`, 'task'],
  [`${machine}/facts`, 'agent', 'agent-events'],
  [`${machine}/settings`, 'kv'],
  ['probes', 'task', 'crontab'],
  ['tasks', 'task'],
  ['tasks/history', 'task', 'crontab'],
  ['terminal', 'terminal', 'task'],
  ['jobs', 'crontab', 'task', 'js-worker'],
  ['jobs/pings', 'crontab', 'task', 'js-worker'],
  ['jobs?new=1', 'crontab', 'task', 'js-worker'],
  ['stores/kv', 'kv'],
  [`stores/kv?in=${uuidOf(0)}&key=metadata_name`, 'kv'],
  ['stores/db', 'db'],
  ['stores/db?in=shop', 'db'],
  ['stores/files', 'static-bucket-file'],
  ['stores/files?in=site', 'static-bucket-file'],
  ['workers', 'js-worker'],
  ['workers?name=nightly', 'js-worker', 'crontab'],
  ['tokens', 'kv', 'db', 'js-worker', 'static-bucket-file', 'status-page', 'crontab'],
  ['tokens?new=1', 'kv', 'db', 'js-worker', 'static-bucket-file', 'status-page'],
  ['server', 'agent-events', 'retention'],
  ['server/retention', 'retention', 'kv', 'series', 'audit'],
  ['server/status', 'status-page'],
  ['server/status/main', 'status-page', 'task'],
  ['server/log', 'server-info'],
  ['server/configuration', 'server-info'],
  ['server/audit', 'audit'],
];

/** Goes there without loading the page anew, waits for all answers, and says what is wrong. */
async function visit({ page, problems }: Window, line: Line, address: string): Promise<string[]> {
  const path = `/svc/dashboard/${address}`;
  await page.evaluate(`history.pushState(null, '', ${JSON.stringify(path)});
    dispatchEvent(new PopStateEvent('popstate'))`);
  await until(page, "document.querySelector('#content .page, #content > .empty')");
  await line.quiet();
  const shown = await page.locator('#content [role=alert], #content .note.bad').allInnerTexts();
  const wrong = [...shown, ...line.refused.splice(0), ...problems.splice(0)];
  if (await page.getByText('This page failed').count()) wrong.push('the page failed');
  return wrong.map((text) => `${address}: ${text}`);
}

async function tour(options: { token?: string; off?: string; places?: readonly string[] }) {
  const { token, off, places = PLACES.map(([address]) => address) } = options;
  const line = lineOf(off);
  const window = await kit.open('tokens', {
    before: line.attach,
    ...(token !== undefined && { token }),
  });
  const wrong: string[] = [];
  try {
    await window.page.locator('.rail').waitFor();
    // With the first questions the list of machines is asked for, before the page knows what the token may.
    await line.quiet();
    line.refused.splice(0);
    for (const address of places) wrong.push(...(await visit(window, line, address)));
    const menu = await window.page.locator('.rail li').allInnerTexts();
    return { wrong, menu };
  } finally {
    await window.close();
  }
}

const summaries = { dynamic_monitoring_summary: 'read' };
const TOKENS: readonly (readonly [what: string, limit: unknown[], menu: string[]])[] = [
  [
    'one machine',
    [
      {
        scopes: [{ agent_uuid: uuidOf(0) }],
        permissions: [summaries, { monitoring_uuid: 'list' }],
      },
    ],
    ['Fleet', 'Tokens'],
  ],
  [
    'the figures of one machine and not even the list of machines',
    [{ scopes: [{ agent_uuid: uuidOf(0) }], permissions: [summaries] }],
    ['Fleet', 'Tokens'],
  ],
  ['nothing at all', [{ scopes: ['global'], permissions: [] }], ['Tokens']],
  [
    'jobs and results of tasks, to read',
    [
      {
        scopes: [{ agent_uuid: uuidOf(0) }],
        permissions: [{ crontab: 'read' }, { task: { read: '*' } }, { monitoring_uuid: 'list' }],
      },
    ],
    ['Fleet', 'Probes', 'Tasks', 'Jobs', 'Tokens'],
  ],
];

for (const [what, limit, menu] of TOKENS)
  test(`a token that sees ${what} meets no error on any page, and no call is refused`, async () => {
    const found = await tour({ token: await kit.app.token(limit as never) });
    assert.equal(found.wrong, []);
    assert.equal(found.menu, menu);
  });

test('without a connection every page keeps what it showed, says so, and goes on when the server is back', async () => {
  const line = lineOf();
  const window = await kit.open('', { before: line.attach });
  const { page, close } = window;
  try {
    await page.locator('.rail').waitFor();
    const all = PLACES.map(([address]) => address);
    const wrong: string[] = [];
    for (const address of all) wrong.push(...(await visit(window, line, address)));
    assert.equal(wrong, []);
    await line.cut();
    await page.locator('.shell.lost').waitFor();
    for (const address of all) wrong.push(...(await visit(window, line, address)));
    assert.equal(wrong, []);
    await page.getByText('The connection to the server is lost.').waitFor();
    line.mend();
    await page.locator('.shell:not(.lost)').waitFor();
    for (const address of all) wrong.push(...(await visit(window, line, address)));
    assert.equal(wrong, []);
  } finally {
    await close();
  }
});

const OFF = [...new Set(PLACES.flatMap(([, ...plugins]) => plugins))].filter(
  // The page itself is not there without these.
  (plugin) => plugin !== 'server-info',
);

for (const off of OFF)
  test(`a server without ${off} meets no call to it, and its pages say so or are not there`, async () => {
    const places = PLACES.filter(([, ...plugins]) => plugins.includes(off)).map(([one]) => one);
    assert.equal((await tour({ off, places })).wrong, []);
  });

test('a server with almost no plugins shows what there is', async () => {
  const app = await bootForTest(['server-info', 'token', 'agent', 'agent-uuid', 'dashboard']);
  await machineOf(app, await app.connect(), 0).report();
  const line = lineOf();
  const window = await kit.open('', { before: line.attach, app });
  try {
    await window.page.locator('.rail').waitFor();
    await line.quiet();
    line.refused.splice(0);
    const wrong: string[] = [];
    for (const [address] of PLACES) wrong.push(...(await visit(window, line, address)));
    assert.equal(wrong, []);
    const menu = await window.page.locator('.rail li').allInnerTexts();
    assert.equal(menu, ['Fleet', 'Tokens', 'Server']);
  } finally {
    await window.close();
    await app.stop();
  }
});

suiteOf.run();
