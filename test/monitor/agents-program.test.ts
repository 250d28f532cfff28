// proof only: 12
// Real agents as processes of their own are places of monitors (agent/src/places, plugins/monitor/src/agents).
import { randomUUID } from 'node:crypto';
import type { TestApp } from '@svc/plugin-sdk/testing';
import * as assert from 'uvu/assert';
import { type Running, startAgent, stopAgent } from '../agent-program-process.ts';
import { suite } from '../runner/suite.ts';
import { bootWithAgents } from './agents-kit.ts';
import { call, create, get, http, MINUTE, passes, pause, SECOND, target } from './kit.ts';

const STEP_MS = 250;
const DEADLINE_MS = 90 * SECOND;

/** Moves the time of the server along with that of the agents until something holds. */
async function holds(app: TestApp, ask: () => Promise<boolean>): Promise<boolean> {
  const end = Date.now() + DEADLINE_MS;
  for (let last = Date.now(); last < end; ) {
    if (await ask()) return true;
    await pause(STEP_MS);
    const now = Date.now();
    await app.clock.advance(now - last);
    last = now;
  }
  return false;
}

const rights = (uuid: string) => [
  {
    scopes: [{ agent_uuid: uuid }],
    permissions: [
      { static_monitoring: 'write' },
      { dynamic_monitoring: 'write' },
      { dynamic_monitoring_summary: 'write' },
      { task: 'listen' },
      { task: { write: '*' } },
    ],
  },
];

for (const dialect of ['sqlite', 'postgres'] as const) {
  const test = suite(`monitors: real agents (${dialect})`);

  test('three of them judge a page by its text; with two gone the third decides, unless more are needed', async () => {
    const app = await bootWithAgents(dialect);
    const web = await target();
    const agents: Running[] = [];
    try {
      // Silence says nothing for two minutes after a start.
      await passes(app, 2 * MINUTE + 10 * SECOND);
      const uuids = [randomUUID(), randomUUID(), randomUUID()];
      for (const uuid of uuids)
        agents.push(
          await startAgent(app, await app.token(rights(uuid)), {
            uuid,
            server: 'allow_task = true\nallow_task_type = ["http_request"]',
          }),
        );
      const known = async () =>
        (await app.call('agent-uuid_list_all', [app.superToken])).length === 3;
      assert.ok(await holds(app, known), 'they report');
      const condition = 'status == 200 && body.contains("well")';
      const places = { server: false, agents: uuids };
      const over = { interval_s: 5, timeout_s: 1, retries: 0, condition, places };
      web.body = 'all is well';
      await create(app, http('page', web.url, over));
      const verdict = async () => (await get(app, 'page')).verdict;
      const counts = async () => {
        const { up, down, unknown } = await verdict();
        return `${up} ${down} ${unknown}`;
      };
      assert.ok(await holds(app, async () => (await counts()) === '3 0 0'), await counts());
      assert.match(String(web.got.at(-1)?.['user-agent']), /^svc-monitor\//);
      const { states, problem } = await get(app, 'page');
      assert.equal([problem, states.map((one: any) => one.problem)], [null, [null, null, null]]);
      assert.equal(states.map(({ place }: any) => place).sort(), [...uuids].sort());

      for (const one of agents.slice(1)) await stopAgent(one);
      web.body = 'all is lost';
      assert.ok(await holds(app, async () => (await verdict()).state === 'down'));
      assert.is(await counts(), '0 1 2');
      assert.match((await verdict()).detail, 'not status == 200 && body.contains("well")');
      const [outage] = await call(app, 'monitor_outages', { name: 'page' });
      assert.equal(outage.places, [uuids[0]]);
      await call(app, 'monitor_update', { name: 'page', change: { down_when: 2 } });
      assert.ok(await holds(app, async () => (await verdict()).state === 'unknown'));
    } finally {
      for (const one of agents) await stopAgent(one);
      await app.stop();
      await web.stop();
    }
  });

  test.run();
}
