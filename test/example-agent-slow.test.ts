// proof only: 130
/** examples/agent, made as slow as agents of the field, in the machine's time: it loses no task, and none waits for another. */
import { type ChildProcess, spawn } from 'node:child_process';
import { resolve } from 'node:path';
import { bootForTest, type TestApp } from '@svc/plugin-sdk/testing';
import * as assert from 'uvu/assert';
import { until } from './agent-program-process.ts';
import { agents, crontab, EVERY_SECOND } from './protocol/crontab-kit.ts';
import { outcome, rows } from './protocol/task-kit.ts';
import { suite } from './runner/suite.ts';

const AGENT = '3f0c7d52-1f0e-4b53-8d55-0d1c6a0f7a11';
const program = resolve(import.meta.dirname, '../examples/agent/agent.mjs');
const slow = resolve(import.meta.dirname, 'slow-websocket.ts');
const PLUGINS = ['token', 'server-info', 'agent', 'agent-uuid', 'task', 'crontab'];
const ECHO = { execute: { cmd: 'echo', args: [] } };
const BURST = 300;
/** 100 ms of the agent, which takes a message each 25 ms. */
const MOST_BEFORE = 4;
const dialects = ['sqlite', 'postgres'] as const;

/** One server and its agent. */
interface Pair {
  readonly app: TestApp;
  readonly agent: ChildProcess;
  readonly output: () => string;
}

async function start(dialect: (typeof dialects)[number]): Promise<Pair> {
  const app = await bootForTest(PLUGINS, {}, { dialect });
  const env = {
    ...process.env,
    SVC_URL: `${app.url.replace('http', 'ws')}/svc/rpc`,
    SVC_TOKEN: app.superToken,
    SVC_AGENT_UUID: AGENT,
  };
  const agent = spawn(process.execPath, ['--import', slow, program], { env });
  let output = '';
  agent.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text;
  });
  return { app, agent, output: () => output };
}

const test = suite('example agent, made slow');
const pairs: Pair[] = [];
test.before(async () => {
  for (const dialect of dialects) pairs.push(await start(dialect));
});
test.after(async () => {
  for (const { app, agent } of pairs) {
    agent.kill();
    await app.stop();
  }
});

async function tried({ app, output }: Pair): Promise<void> {
  const create = (type: unknown) =>
    outcome(app.call('task_create_task', [app.superToken, AGENT, type]));
  const createMany = async (count: number, type: unknown) => {
    const made = await Promise.all(Array.from({ length: count }, () => create(type)));
    for (const { id } of made) assert.type(id, 'number');
  };
  const taken = () => [...output().matchAll(/^took \d+/gm)].length;
  const lost = () => output().match(/^lost \d+/gm) ?? [];
  const reached = (words: string, get: () => Promise<number> | number, count: number) =>
    until(
      words,
      async () => (await get()) + lost().length,
      (sum) => sum >= count,
    );
  /** @returns messages that lay before the task of a blocking call when it came to the agent */
  const blocking = async (): Promise<number> => {
    const params = [app.superToken, AGENT, 'version', 60_000];
    const { success, task_id } = await app.call('task_create_task_blocking', params);
    assert.is(success, true);
    return Number(new RegExp(`^took ${task_id} before (\\d+)`, 'm').exec(output())![1]);
  };
  const answered = async () => (await rows(app, 'is_success', { limit: 10_000 })).length;

  await until(
    'the agent is there',
    () => create(ECHO),
    ({ id }) => id !== undefined,
  );
  const alone = await blocking();
  for (const count of [10, 25, 200]) {
    const before = taken();
    await createMany(count, { ping: 'localhost' });
    await reached(`${count} pings`, taken, before + count);
    const beside = await blocking();
    assert.ok(beside <= alone + MOST_BEFORE, `${count}: ${beside} before it, alone ${alone}`);
  }
  const cron = crontab(app, app.superToken);
  await cron.create('each second', EVERY_SECOND, agents([AGENT], { tcp_ping: 'localhost:1' }));
  await cron.records('each second', 5);
  await cron.remove('each second');
  const runs = await cron.records('each second', 5);
  assert.equal(
    runs.filter(({ success }) => !success),
    [],
  );
  const ofJob = async () => (await rows(app, 'is_success', { cron_source: 'each second' })).length;
  await reached('the tasks of the job', ofJob, runs.length);
  for (let round = 1; round <= 5; round++) {
    const before = await answered();
    await createMany(BURST, ECHO);
    await reached(`burst ${round}`, answered, before + BURST);
    assert.equal(lost(), [], `burst ${round}`);
  }
}

test('it loses none of 5 × 300 tasks beside 235 that are never answered, and a blocking call and a job do not wait for them', async () => {
  await Promise.all(pairs.map(tried));
});

test.run();
