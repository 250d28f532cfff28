// proof only: 18
/** The page Tasks: a real agent runs what the form says, simulated machines answer beside it. */

import type { Locator } from 'playwright-core';
import * as assert from 'uvu/assert';
import { compare, linesOf } from '../../plugins/dashboard/web/parts/task-compare.ts';
import { type Running, stopAgent } from '../agent-program-process.ts';
import { suite } from '../runner/suite.ts';
import { AGENT, startTaskAgent } from './agent.ts';
import { type Kit, missing, nameOf, startKit, uuidOf, type Window } from './kit.ts';

const pure = suite('dashboard: results of tasks');

const marks = (kind: string, results: readonly unknown[]) => {
  const lines = results.map((one) => linesOf(kind, one, String));
  const found = compare(new Map(lines.map((one, at) => [String(at), one])));
  return [...found.values()].map(({ differs, lacks }) => [
    differs.map(Number).join(''),
    lacks.join(),
  ]);
};

for (const [what, kind, results, expected] of [
  ['one result differs from nothing', 'execute', ['a\nb'], [['00', '']]],
  [
    'a line that most lack is marked',
    'execute',
    ['a\nb', 'a\nb', 'a\nc'],
    [
      ['00', ''],
      ['00', ''],
      ['01', 'b'],
    ],
  ],
  [
    'a line that is missing is named',
    'execute',
    ['a\nb', 'a\nb', 'b'],
    [
      ['00', ''],
      ['00', ''],
      ['0', 'a'],
    ],
  ],
  [
    'a line too many moves no other one',
    'execute',
    ['a\nb', 'a\nb', 'x\na\nb'],
    [
      ['00', ''],
      ['00', ''],
      ['100', ''],
    ],
  ],
  [
    'a slow answer is marked, a quick one is not',
    'ping',
    [10, 12, 11, 40, 1],
    [
      ['0', ''],
      ['0', ''],
      ['0', ''],
      ['1', ''],
      ['0', ''],
    ],
  ],
  [
    'members are compared by name',
    'version',
    [
      { v: '1', os: 'x' },
      { v: '1', os: 'y' },
      { v: '2', os: 'x' },
    ],
    [
      ['00', ''],
      ['01', ''],
      ['10', ''],
    ],
  ],
] as const)
  pure(what, () => assert.equal(marks(kind, results), expected));
pure.run();

const test = suite('dashboard: tasks');
/** What people call the machine of the real agent: else its host name comes a moment after it. */
const REAL = 'real';
let kit: Kit;
let agent: Running;
let window: Window;

test.before(async () => {
  kit = await startKit({ machines: 3 });
  await Promise.all([0, 1].map((at) => answering(uuidOf(at), `host-${at}`)));
  await kit.app.call('kv_create', [kit.app.superToken, AGENT]);
  await kit.app.call('kv_set_value', [kit.app.superToken, AGENT, 'metadata_name', REAL]);
  agent = await startTaskAgent(kit.app);
  window = await kit.open('tasks');
});

test.after(async () => {
  await window?.close();
  await stopAgent(agent);
  await kit?.stop();
});

/** A machine that takes tasks; `next` waits for one, `upload` answers it. */
async function register(uuid: string) {
  const socket = await kit.app.connect();
  await socket.call('task_register_task', [kit.app.superToken, uuid]);
  return {
    next: async () => (await socket.next(60_000)).params.result,
    upload: ({ task_id, task_token }: any, answer: object) =>
      socket.call('task_upload_task_result', [
        kit.app.superToken,
        { task_id, task_token, agent_uuid: uuid, timestamp: Date.now(), success: true, ...answer },
      ]),
    closed: socket.closed,
  };
}

/** A machine that answers every command with two lines, the second of its own, and refuses all else. */
async function answering(uuid: string, own: string): Promise<void> {
  const machine = await register(uuid);
  const work = async () => {
    for (;;) {
      const task = await machine.next();
      const isKnown = Object.hasOwn(task.task_event_type, 'execute');
      await machine.upload(
        task,
        isKnown
          ? { task_event_result: { execute: `same\n${own}\n` } }
          : { success: false, error_message: 'not here' },
      );
    }
  };
  // It ends with its connection.
  void Promise.race([work(), machine.closed]).catch(() => undefined);
}

const button = (name: string | RegExp) => window.page.getByRole('button', { name });
const column = (name: string) => window.page.getByRole('article', { name });
const choose = (kind: string) => window.page.getByLabel('What to run').selectOption(kind);

test('machines that take no tasks are not offered', async () => {
  await window.page.getByRole('checkbox', { name: nameOf(0) }).waitFor();
  assert.is(await window.page.getByRole('checkbox', { name: nameOf(2) }).count(), 0);
  await window.page.getByText('One more machine accepts no tasks right now').waitFor();
});

test('the form of every kind is made from the schema of the server', async () => {
  const fields: { readonly [kind: string]: readonly string[] } = {
    ping: ['Host'],
    tcp_ping: ['Host and port'],
    http_ping: ['Address'],
    http_request: ['Address', 'Method', 'Headers', 'Body', 'Body in base64', 'From this address'],
    dns: ['Name', 'Server'],
    ip: [],
    version: [],
    read_config: [],
    edit_config: ['New configuration (TOML)'],
    self_update: ['Version'],
    web_shell: ['Address', 'Terminal'],
    execute: ['Command line'],
  };
  const kinds = await window.page.getByLabel('What to run').locator('option').count();
  assert.is(kinds, Object.keys(fields).length);
  for (const [kind, labels] of Object.entries(fields)) {
    await choose(kind);
    for (const label of labels) await window.page.getByLabel(label, { exact: true }).waitFor();
  }
});

test('a command on several machines asks, then shows them side by side with what differs', async () => {
  await choose('execute');
  await window.page.getByLabel('Command line').fill('printf "same\\nmine\\n"');
  await window.page.getByRole('checkbox', { name: 'All 3' }).check();
  await button('Run on 3 machines').click();
  const dialog = window.page.getByRole('dialog', { name: 'Command on 3 machines?' });
  await dialog.getByText('with the rights of their agents').waitFor();
  await dialog.getByRole('button', { name: 'Run on 3 machines' }).click();
  await window.page.getByText('3 of 3 answered · 1 the same, 2 differ').waitFor();
  await column(REAL).getByText('mine').waitFor();
  assert.is(await window.page.locator('.tasks-differs').count(), 2);
  // The first one is what the others are held against, where no answer is more frequent.
  assert.is(await column(nameOf(0)).locator('.tasks-differs').textContent(), 'host-0');
  await window.page.getByLabel('Only differences').check();
  assert.is(await window.page.getByRole('article').count(), 2);
});

test('a tag chooses its machines, and a failure says why beside what worked', async () => {
  await window.page.getByRole('checkbox', { name: 'All 3' }).uncheck();
  await button(/^Frankfurt/).click();
  await window.page.getByRole('checkbox', { name: REAL }).check();
  await choose('version');
  await button('Run on 2 machines').click();
  await column(nameOf(0)).getByText('not here').waitFor();
  await window.page.getByText('1 of 2 answered · 1 failed').waitFor();
  await column(REAL).getByText('cargo_version').waitFor();
});

test('what replaces a configuration asks even for one machine, and nothing runs without the answer', async () => {
  await choose('edit_config');
  await window.page.getByLabel('New configuration (TOML)').fill('x = 1');
  await window.page.getByRole('checkbox', { name: nameOf(0) }).uncheck();
  await button('Run on one machine').click();
  const dialog = window.page.getByRole('dialog', { name: 'Replace configuration on one machine?' });
  await dialog.getByText('the old one is gone').waitFor();
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  const rows = await kit.app.call('task_query', [
    kit.app.superToken,
    { condition: [{ type: 'edit_config' }] },
  ]);
  assert.equal(rows, []);
});

test('nothing serious is found by axe-core, and nothing went wrong', async () => {
  assert.equal(await window.findings(), []);
  assert.equal(window.problems, []);
});

test('the history filters by the address, shows a task whole, and puts it back into the form', async () => {
  const { page } = window;
  await page.getByRole('tab', { name: 'History' }).click();
  await page.getByLabel('Kind').selectOption('execute');
  await page.waitForURL(/kind=execute/);
  await page.getByLabel('Machine').selectOption(AGENT);
  await page.getByRole('row').nth(1).getByRole('button').click();
  const dialog = page.getByRole('dialog', { name: /Command/ });
  await dialog.getByText('mine', { exact: true }).waitFor();
  assert.equal(await window.findings(), []);
  await dialog.getByRole('button', { name: 'Run again …' }).click();
  assert.match(await page.getByLabel('Command line').inputValue(), /printf/);
});

test('older pages follow without gap and without doubles, though many tasks have one time', async () => {
  const machine = await register(uuidOf(2));
  const time = Date.now() - 86_400_000;
  for (let at = 0; at < 130; at++) {
    await kit.app.call('task_create_task', [kit.app.superToken, uuidOf(2), { ping: `p${at}` }]);
    const timestamp = time - Math.floor(at / 65);
    await machine.upload(await machine.next(), { timestamp, task_event_result: { ping: at } });
  }
  await window.page.goto(`${kit.app.url}/svc/dashboard/tasks/history?machine=${uuidOf(2)}`);
  const table = window.page.getByRole('table', { name: 'History' });
  const has = (rows: number) =>
    window.page.locator(`[role=table][aria-rowcount="${rows + 1}"]`).waitFor();
  await has(100);
  await button('Show older tasks').click();
  await has(130);
  await button('Show older tasks').waitFor({ state: 'detached' });
  assert.is(await table.count(), 1);
});

test('an address that calls the machine an agent, as before, still shows its tasks', async () => {
  const { page } = window;
  await page.goto(`${kit.app.url}/svc/dashboard/tasks/history?agent=${uuidOf(2)}&kind=ping`);
  await page.getByRole('table', { name: 'History' }).waitFor();
  assert.is(await page.getByLabel('Machine').inputValue(), uuidOf(2));
  await page.getByLabel('Kind').selectOption('tcp_ping');
  await page.waitForURL(/\?(?!.*agent=).*machine=/);
});

test('a task is run again from the page of its machine', async () => {
  const { page } = window;
  await page.goto(`${kit.app.url}/svc/dashboard/agent/${uuidOf(2)}/tasks`);
  await page.getByRole('row').nth(1).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Run again …' }).click();
  await page.waitForURL(`**/tasks?machine=${uuidOf(2)}&again=*`);
  const host = page.getByLabel('Host', { exact: true });
  await host.waitFor();
  assert.match(await host.inputValue(), /^p\d+$/);
});

test('a token that may ping one machine is offered that one alone', async () => {
  const permissions = [
    { task: { create: 'ping' } },
    { task: { read: 'ping' } },
    { monitoring_uuid: 'list' },
  ];
  const token = await kit.app.token([{ scopes: [{ agent_uuid: uuidOf(0) }], permissions }]);
  const { page, problems, close } = await kit.open('tasks?kind=ping', { token });
  await page.getByRole('checkbox', { name: 'All 1' }).waitFor();
  await page.getByLabel('What to run').selectOption('execute');
  await page.getByText('No machine accepts such tasks right now').waitFor();
  assert.equal(problems, []);
  await close();
});

test('a task that its machine does not allow says of which kind it is and what allows it', async () => {
  const uuid = '0b6f1c52-7a35-4d0e-9c1b-0000000decaf';
  const strict = await startTaskAgent(kit.app, uuid, { kinds: ['ping'] });
  const { page, findings, problems, close } = await kit.open(`tasks?kind=execute&machine=${uuid}`);
  try {
    await page.getByLabel('Command line').fill('true');
    await page.getByRole('button', { name: 'Run on one machine' }).click();
    const says = async (box: Locator) => {
      await box.getByText('Permission Denied: Task not allowed (execute)').waitFor();
      for (const command of [
        'npx svc-server allow-tasks execute',
        'sh /opt/svc-agent/install.sh --allow execute',
      ])
        await box.getByText(command, { exact: true }).waitFor();
    };
    await says(page.locator('.tasks-column'));
    assert.equal(await findings(), []);
    await page.goto(`${kit.app.url}/svc/dashboard/agent/${uuid}/tasks`);
    await page.getByRole('row').nth(1).click();
    await says(page.getByRole('dialog'));
    assert.equal(problems, []);
  } finally {
    await close();
    await stopAgent(strict);
  }
});

test('on a phone, in Chinese and dark, everything is reached', async () => {
  const { page, findings, problems, close } = await kit.open(
    `tasks?kind=dns&machine=${uuidOf(0)}`,
    {
      width: 390,
      height: 844,
      dark: true,
      language: 'zh-CN',
    },
  );
  await page.getByRole('button', { name: '在 1 台主机上运行' }).waitFor();
  await page.getByLabel('域名').fill('example.net');
  await page.getByRole('checkbox', { name: /全部/ }).check();
  assert.equal(await findings(), []);
  assert.ok(await page.evaluate('document.documentElement.scrollWidth <= innerWidth'));
  assert.equal(problems, []);
  await close();
});

if (missing) process.stdout.write(`  skipped: ${missing}\n`);
else test.run();
