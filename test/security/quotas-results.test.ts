// Neither one agent nor one job fills the tables of results.
import { bootForTest, type TestApp } from '@svc/plugin-sdk/testing';
import * as assert from 'uvu/assert';
import { agents, type Crontab, crontab, EVERY_SECOND, PLUGINS } from '../protocol/crontab-kit.ts';
import { A, B, outcome, readyAgent, rows, type SimAgent } from '../protocol/task-kit.ts';
import { eventually } from '../protocol/token-kit.ts';
import { suite } from '../runner/suite.ts';

const QUOTA = 50_000;
const LONG = 'x'.repeat(20_000);
const CONFIG = { task: { max_result_bytes: QUOTA }, crontab: { max_result_bytes: QUOTA } };
const FULL = 'max_result_bytes under [task]';

for (const dialect of ['sqlite', 'postgres'] as const) {
  const test = suite(`quotas: results of tasks and jobs (${dialect})`);
  let app: TestApp;
  let greedy: SimAgent;
  let modest: SimAgent;
  let cron: Crontab;
  test.before(async () => {
    app = await bootForTest(PLUGINS, CONFIG, { dialect, clock: true });
    cron = crontab(app, app.superToken);
    greedy = await readyAgent(app, A);
    modest = await readyAgent(app, B);
  });
  test.after(() => app?.stop());

  const task = { execute: { cmd: 'ls', args: [] } };
  const create = (uuid: string, type: unknown = task): Promise<any> =>
    outcome(app.call('task_create_task', [app.superToken, uuid, type]));
  /** Has the agent carry out a task. @returns the answer of the upload */
  const run = async (agent: SimAgent, text: string, over = {}): Promise<any> => {
    const { length } = agent.items;
    // The agent has taken the messages before.
    await app.clock.advance(100);
    assert.type((await create(agent.uuid)).id, 'number');
    await agent.received(length + 1);
    return agent.answer(agent.items.at(-1)!, { execute: text }, over);
  };
  const usage = async (table: string, owner: string): Promise<number> => {
    const found = await app.sql(`select owner, bytes from ${table}`);
    const [row] = found.length === 1 ? found : found.filter((each: any) => each.owner === owner);
    return Number(row?.bytes ?? 0);
  };

  test('an agent stores as many bytes as it may, and the row of the result that is left out says why', async () => {
    for (let n = 0; n < 2; n++) await run(greedy, LONG);
    const { id } = await run(greedy, LONG);
    const [cut] = await rows(app, { task_id: id });
    assert.equal([cut.success, cut.task_event_result], [false, null]);
    assert.match(cut.error_message, FULL);
    const { id: failed } = await run(greedy, 'short', { success: false, error_message: LONG });
    const [shortened] = await rows(app, { task_id: failed });
    assert.match(shortened.error_message, FULL);
    assert.ok((await usage('task_usage', A)) <= QUOTA + 2_000);
  });

  test('a blocking caller is told the same', async () => {
    const { length } = greedy.items;
    const params = [app.superToken, A, task, 60_000];
    const answer: Promise<any> = app.call('task_create_task_blocking', params);
    await greedy.received(length + 1);
    await greedy.answer(greedy.items.at(-1)!, { execute: LONG });
    const { success, error_message, task_event_result } = await answer;
    assert.equal([success, task_event_result], [false, null]);
    assert.match(error_message, FULL);
  });

  test('a task that its agent has no room for is refused, and the other agents are not concerned', async () => {
    const large = { execute: { cmd: 'ls', args: [LONG] } };
    const refused = await create(A, large);
    assert.match(refused, '103 Database error: the tasks of agent');
    assert.match(refused, FULL);
    assert.type((await create(B, large)).id, 'number');
    await modest.received(1);
  });

  test('a job leaves such an agent out and says so in its record', async () => {
    const large = { execute: { cmd: 'ls', args: [LONG] } };
    assert.type((await cron.create('job', EVERY_SECOND, agents([A, B], large))).id, 'number');
    await app.clock.advance(1_000);
    const records = await cron.records('job', 2);
    await cron.remove('job');
    assert.match(records.find(({ success }) => !success)?.message ?? '', FULL);
    assert.ok(records.some(({ success, message }) => success && message.includes(B)));
  });

  test('tasks that were deleted make room', async () => {
    await app.call('task_delete', [app.superToken, [{ uuid: A }]]);
    const { id } = await run(greedy, LONG);
    const [row] = await rows(app, { task_id: id });
    assert.is(row.task_event_result.execute.length, LONG.length);
  });

  test('of the records of a job the oldest go, and those of the other jobs stay', async () => {
    const series = (name: string, count: number) =>
      Array.from(
        { length: count },
        (_, n) => `(1, '${name}', ${n}, ${n}, true, '${'m'.repeat(50)}')`,
      );
    const records = [...series('busy', 2_000), ...series('quiet', 3)].join();
    await app.sql(`insert into crontab_result
      (cron_id, cron_name, relative_id, run_time, success, message) values ${records}`);
    assert.ok((await usage('crontab_result_usage', 'busy')) > 3 * QUOTA);
    await app.clock.advance(60_000);
    await eventually(async () => assert.ok((await usage('crontab_result_usage', 'busy')) <= QUOTA));
    const kept = await cron.query({ cron_name: 'busy' });
    assert.ok(kept.length > 200, `${kept.length} records are left`);
    assert.is(kept[0].run_time, 1_999);
    assert.is(kept.at(-1).run_time, 2_000 - kept.length);
    assert.is((await cron.query({ cron_name: 'quiet' })).length, 3);
  });

  test.run();
}
