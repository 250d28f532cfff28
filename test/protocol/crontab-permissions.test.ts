// crontab.md §4, §5.3: who may do what with which job and which records.
import { bootForTest, type TestApp } from '@svc/plugin-sdk/testing';
import * as assert from 'uvu/assert';
import { suite } from '../runner/suite.ts';
import { A, agents, B, type Crontab, crontab, PLUGINS, worker } from './crontab-kit.ts';

type Limits = readonly { scopes: readonly unknown[]; permissions: readonly unknown[] }[];

const onA = { agent_uuid: A };
const onB = { agent_uuid: B };
const write = { crontab: 'write' };
const create = (type: string) => ({ task: { create: type } });
const runScript = { js_worker: 'run_defined_js_worker' };
const entry = (scopes: readonly unknown[], ...permissions: unknown[]) => ({ scopes, permissions });

/** What a job needs to be created, and nearly that. */
const creations: readonly (readonly [what: string, type: unknown, limits: Limits, ok: boolean])[] =
  [
    ['both rights on the agent', agents([A]), [entry([onA], write, create('ip'))], true],
    [
      'both rights in two entries',
      agents([A]),
      [entry([onA], write), entry([onA], create('ip'))],
      true,
    ],
    ['global rights and a pattern', agents([A, B]), [entry(['global'], write, create('*'))], true],
    ['no task right', agents([A]), [entry([onA], write)], false],
    ['no crontab right', agents([A]), [entry([onA], create('ip'))], false],
    ['the right to another task', agents([A]), [entry([onA], write, create('ping'))], false],
    ['another verb', agents([A]), [entry([onA], { crontab: 'delete' }, create('ip'))], false],
    ['rights on another agent', agents([A]), [entry([onB], write, create('ip'))], false],
    ['rights on one of two agents', agents([A, B]), [entry([onA], write, create('ip'))], false],
    [
      'the task right on one of two',
      agents([A, B]),
      [entry([onA, onB], write), entry([onA], create('ip'))],
      false,
    ],
    [
      'rights on both agents',
      agents([A, B]),
      [entry([onA], write, create('i*')), entry([onB], write, create('ip'))],
      true,
    ],
    ['global rights for an empty list', agents([]), [entry(['global'], write, create('ip'))], true],
    // An empty list needs the task right as well.
    ['no task right for an empty list', agents([]), [entry(['global'], write)], false],
    ['an agent right for an empty list', agents([]), [entry([onA], write, create('ip'))], false],
    [
      'both rights on a worker',
      worker('w1'),
      [entry(['global'], write), entry([{ js_worker: 'w1' }], runScript)],
      true,
    ],
    [
      'the script right by pattern',
      worker('w1'),
      [entry(['global'], write), entry([{ js_worker: 'w*' }], runScript)],
      true,
    ],
    ['all rights in global', worker('w1'), [entry(['global'], write, runScript)], true],
    ['no script right', worker('w1'), [entry(['global'], write)], false],
    [
      'the right to another script',
      worker('w1'),
      [entry(['global'], write), entry([{ js_worker: 'w2' }], runScript)],
      false,
    ],
    [
      'no global crontab right',
      worker('w1'),
      [entry([onA, { js_worker: 'w1' }], write, runScript)],
      false,
    ],
  ];

/** Which of the jobs below a token with these limits sees. */
const views: readonly (readonly [what: string, limits: Limits, seen: readonly string[] | 102])[] = [
  ['read in global', [entry(['global'], { crontab: 'read' })], ['a', 'ab', 'b', 'empty', 'script']],
  ['read on one agent', [entry([onA], { crontab: 'read' })], ['a', 'ab']],
  [
    'read on both agents',
    [entry([onA], { crontab: 'read' }), entry([onB], { crontab: 'read' })],
    ['a', 'ab', 'b'],
  ],
  [
    'read on an agent without jobs',
    [entry([{ agent_uuid: '99999999-7a35-4d0e-9c1b-52d3a8e0f411' }], { crontab: 'read' })],
    [],
  ],
  [
    'read in other scopes',
    [entry([{ kv_namespace: 'n' }, { js_worker: '*' }], { crontab: 'read' })],
    [],
  ],
  ['write only', [entry(['global'], write)], 102],
  ['nothing', [], 102],
];

for (const dialect of ['sqlite', 'postgres'] as const) {
  const test = suite(`crontab: permissions (${dialect})`);
  let app: TestApp;
  let cron: Crontab;
  test.before(async () => {
    app = await bootForTest(PLUGINS, {}, { dialect, clock: true });
    cron = crontab(app, app.superToken);
  });
  test.after(() => app.stop());
  test.before.each(async () => {
    for (const { name } of await cron.get()) await cron.remove(name);
  });
  const holder = async (limits: Limits, extra?: Record<string, unknown>): Promise<Crontab> =>
    crontab(app, await app.token(limits, extra));

  for (const [what, type, limits, ok] of creations) {
    test(`create with ${what}: ${ok ? 'allowed' : '102'}`, async () => {
      const answer = await (await holder(limits)).create('job', '@daily', type);
      if (ok) assert.ok(answer.id);
      else assert.match(answer, /^102 Permission denied: Permission Denied: Missing /);
      assert.is((await cron.get()).length, ok ? 1 : 0);
    });

    test(`edit with ${what}: ${ok ? 'allowed' : '102'}`, async () => {
      await cron.create('job', '@hourly', type);
      const answer = await (await holder(limits)).edit('job', '@daily', type);
      if (ok) assert.ok(answer.success);
      else assert.match(answer, /^102 Permission denied: Permission Denied: Missing /);
      assert.is((await cron.job('job')).cron_expression, ok ? '@daily' : '@hourly');
    });
  }

  test('edit needs the right to the stored job as well as to the new one', async () => {
    await cron.create('job', '@hourly', agents([A, B]));
    const a = await holder([entry([onA], write, create('*'))]);
    assert.match(await a.edit('job', '@daily', agents([A])), /^102 /);
    await cron.edit('job', '@hourly', agents([A], { ping: 'x' }));
    assert.ok((await a.edit('job', '@daily', agents([A]))).success);
    assert.match(await a.edit('job', '@daily', agents([A, B])), /^102 /);
    // The old type needs no task right.
    await cron.edit('job', '@hourly', agents([A], { ping: 'x' }));
    const ipOnly = await holder([entry([onA], write, create('ip'))]);
    assert.ok((await ipOnly.edit('job', '@daily', agents([A]))).success);
  });

  test('delete and set_enable need their right for every agent of the stored job', async () => {
    const remover = await holder([entry([onA], { crontab: 'delete' })]);
    const writer = await holder([entry([onA], write)]);
    await cron.create('job', '@hourly', agents([A, B]));
    assert.match(await remover.remove('job'), /^102 /);
    assert.match(await writer.enable('job', false), /^102 /);
    await cron.edit('job', '@hourly', agents([A]));
    assert.match(await remover.enable('job', false), /^102 /);
    assert.match(await writer.remove('job'), /^102 /);
    assert.is((await cron.job('job')).enable, true);
    assert.equal(await writer.enable('job', false), { success: true, enabled: false });
    assert.equal(await remover.remove('job'), { success: true });
  });

  test('a worker job and an empty list are of global scope', async () => {
    const everywhere = await holder([entry(['global'], write, { crontab: 'delete' })]);
    const onAgent = await holder([entry([onA], write, { crontab: 'delete' })]);
    for (const type of [worker('w'), agents([])]) {
      await cron.create('job', '@hourly', type);
      assert.match(await onAgent.enable('job', false), /^102 /);
      assert.match(await onAgent.remove('job'), /^102 /);
      assert.ok((await everywhere.enable('job', false)).success);
      assert.ok((await everywhere.remove('job')).success);
    }
  });

  test('callers without any crontab right learn no names; others get 105', async () => {
    await cron.create('known');
    const stranger = await holder([entry(['global'], create('*'), { kv: 'list_all_namespace' })]);
    const now = app.clock.now();
    const expired = await holder([entry(['global'], write)], { timestamp_to: now - 1 });
    for (const who of [stranger, expired]) {
      for (const name of ['known', 'unknown']) {
        const answers = [await who.edit(name), await who.remove(name), await who.enable(name)];
        for (const answer of answers) assert.match(answer, /^102 /);
      }
    }
    const reader = await holder([entry([onB], { crontab: 'read' })]);
    assert.match(await reader.remove('unknown'), /^105 /);
    assert.match(await reader.remove('known'), /^102 /);
  });

  for (const [what, limits, seen] of views) {
    test(`get with ${what}: ${JSON.stringify(seen)}`, async () => {
      await cron.create('a', '@daily', agents([A]));
      await cron.create('ab', '@daily', agents([A, B, A]));
      await cron.create('b', '@daily', agents([B]));
      await cron.create('empty', '@daily', agents([]));
      await cron.create('script', '@daily', worker('w'));
      const answer = await (await holder(limits)).get();
      if (seen === 102) assert.match(answer, /^102 /);
      else {
        assert.equal(
          answer.map(({ name }: any) => name),
          seen,
        );
        const shared = answer.find(({ name }: any) => name === 'ab');
        if (shared) assert.equal(shared.cron_type.agent[0], [A, B, A]);
      }
    });
  }

  test('get outside of the validity period says so', async () => {
    const read = [entry(['global'], { crontab: 'read' })];
    const now = app.clock.now();
    const early = await holder(read, { timestamp_from: now + 60_000 });
    const late = await holder(read, { timestamp_to: now - 60_000 });
    assert.is(await early.get(), '102 Permission denied: Token is not yet valid');
    assert.is(await late.get(), '102 Permission denied: Token has expired');
    assert.is(await crontab(app, 'nobody:x').get(), '102 Permission denied: Invalid credentials');
    assert.match(await crontab(app, 'malformed').get(), /^101 /);
  });

  const readNames = (...names: string[]) => names.map((read) => ({ crontab_result: { read } }));
  const lists: readonly (readonly [
    what: string,
    limits: Limits,
    conditions: readonly unknown[],
    ok: boolean,
  ])[] = [
    ['its name', [entry(['global'], ...readNames('n'))], [{ cron_name: 'n' }], true],
    [
      'a pattern',
      [entry(['global'], ...readNames('edge*'))],
      [{ cron_name: 'edge latency' }],
      true,
    ],
    ['another name', [entry(['global'], ...readNames('m'))], [{ cron_name: 'n' }], false],
    [
      'one of two names',
      [entry(['global'], ...readNames('n'))],
      [{ cron_name: 'n' }, { cron_name: 'm' }],
      false,
    ],
    [
      'both names',
      [entry(['global'], ...readNames('n', 'm'))],
      [{ cron_name: 'n' }, { cron_name: 'm' }],
      true,
    ],
    ['a name, asked for all', [entry(['global'], ...readNames('n'))], [], false],
    ['a name, asked by id', [entry(['global'], ...readNames('n'))], [{ id: 1 }], false],
    ['a name, asked by job id', [entry(['global'], ...readNames('n'))], [{ cron_id: 1 }], false],
    [
      'a name, asked by name and id',
      [entry(['global'], ...readNames('n'))],
      [{ cron_name: 'n' }, { id: 1 }],
      true,
    ],
    ['every name', [entry(['global'], ...readNames('*'))], [], true],
    ['every name, on one agent', [entry([onA], ...readNames('*'))], [], false],
    ['the other verb', [entry(['global'], { crontab_result: { delete: '*' } })], [], false],
    ['the right to jobs', [entry(['global'], { crontab: 'read' })], [], false],
  ];
  for (const [what, limits, conditions, ok] of lists) {
    test(`result_query with the right to ${what}: ${ok ? 'allowed' : '102'}`, async () => {
      const answer = await (await holder(limits)).query(...conditions);
      if (ok) assert.equal(answer, []);
      else assert.match(answer, /^102 Permission denied: Permission Denied: Missing CrontabResult/);
    });
    const turned = JSON.parse(
      JSON.stringify(limits).replaceAll(/"(read|delete)":/g, (_, verb) =>
        verb === 'read' ? '"delete":' : '"read":',
      ),
    );
    test(`result_delete with the right to ${what}: ${ok ? 'allowed' : '102'}`, async () => {
      const answer = await (await holder(turned)).erase(...conditions);
      if (ok) {
        assert.equal(answer, { success: true, deleted: 0, condition_count: conditions.length });
      } else
        assert.match(answer, /^102 Permission denied: Permission Denied: Missing CrontabResult/);
    });
  }

  test('records: malformed and wrong credentials', async () => {
    for (const [token, code] of [
      ['malformed', 101],
      ['nobody:x', 102],
    ] as const) {
      assert.match(await crontab(app, token).query(), new RegExp(`^${code} `));
      assert.match(await crontab(app, token).erase(), new RegExp(`^${code} `));
    }
  });

  test.run();
}
