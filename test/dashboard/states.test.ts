// proof only: 30
/** Every page of the dashboard with rights, plugins or the server missing: what cannot be is not offered, and nothing fails. */

import { bootForTest } from '@svc/plugin-sdk/testing';
import * as assert from 'uvu/assert';
import { suite } from '../runner/suite.ts';
import { type Kit, machineOf, missing, startKit, until, uuidOf } from './kit.ts';
import { lineOf } from './line.ts';
import { furnish, goTo, PLACES, visit } from './places.ts';

let kit: Kit;
const suiteOf = suite('dashboard: states');
const test = missing ? suiteOf.skip : suiteOf;
if (missing) process.stdout.write(`  skipped: ${missing}\n`);

suiteOf.before(async () => {
  if (missing) return;
  kit = await startKit({ machines: 3 });
  await furnish(kit);
});
suiteOf.after(() => kit?.stop());

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

/** Pages that read something when they are opened. */
const READING = [
  `agent/${uuidOf(0)}/facts`,
  'alerts/history',
  'alerts/rules',
  'alerts/rules/Disk%20full',
  'alerts/silences',
  'alerts/channels',
  'probes',
  'tasks/history',
  'jobs',
  'stores/kv',
  'stores/db',
  'stores/files',
  'workers',
  'tokens',
  'server/retention',
  'server/status',
  'server/configuration',
  'server/audit',
];

/** The frame stands, and nothing is on its way. */
async function begun() {
  const line = lineOf();
  const window = await kit.open('terminal', { before: line.attach });
  await window.page.locator('.rail').waitFor();
  await line.quiet();
  return { line, ...window };
}

test('while answers are on their way a page stands empty without a fault, and then shows them', async () => {
  const { line, page, problems, close } = await begun();
  try {
    for (const address of READING) {
      line.hold();
      await goTo(page, address);
      await until(page, "document.querySelector('#content .skeleton')");
      assert.is(await page.locator('#content [role=alert]').count(), 0, address);
      line.letGo();
      await line.quiet();
      await until(page, "!document.querySelector('#content .skeleton')");
    }
    assert.equal(problems, []);
  } finally {
    await close();
  }
});

test('what cannot be read is said with the reason, and reading it again mends it', async () => {
  const { line, page, problems, close } = await begun();
  try {
    for (const address of READING) {
      line.fail('the disk is full');
      await goTo(page, address);
      const note = page.locator('#content [role=alert]', { hasText: 'the disk is full' }).first();
      await note.waitFor().catch(async () => {
        assert.unreachable(`${address}: ${await page.locator('#content').innerText()}`);
      });
      await line.quiet();
      line.fail(undefined);
      // Each part that failed has a button of its own, and some are read again without one.
      const press = `(() => {
        const button = document.querySelector('#content [role=alert] button');
        button?.click();
        return button !== null;
      })()`;
      for (let tries = 0; tries < 20 && (await page.evaluate(press)); tries++) await line.quiet();
      await until(page, "!document.querySelector('#content [role=alert]')");
      assert.is(await page.getByText('This page failed').count(), 0, address);
    }
    assert.equal(problems, []);
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
