// Codes on several servers of one database: each is good everywhere, and as often as it says altogether.
import type { TestApp } from '@svc/plugin-sdk/testing';
import * as assert from 'uvu/assert';
import { eventually } from '../protocol/token-kit.ts';
import { suite } from '../runner/suite.ts';
import { type SharedServers, sharedServers } from '../shared-servers.ts';

const PLUGINS = ['token', 'agent-uuid', 'agent', 'kv', 'static-bucket', 'enrol'];

const test = suite('enrolment on several servers (postgres)');
let servers: SharedServers;
test.before(async () => {
  servers = await sharedServers(2, PLUGINS);
});
test.after(() => servers?.stop());

const create = async (app: TestApp, params: object = {}): Promise<{ id: number; code: string }> =>
  app.call('enrol_create', { token: servers.superToken, ...params });
const exchange = (app: TestApp, code: string) =>
  app.fetch('/svc/enrol/exchange', { method: 'POST', body: `code=${code}` });

for (const [made, used] of [
  [0, 1],
  [1, 0],
] as const)
  test(`a code of server ${made + 1} is used on server ${used + 1}, once, and its token holds on both`, async () => {
    const [here, there] = [servers.apps[made]!, servers.apps[used]!];
    const { code } = await create(here);
    const response = await exchange(there, code);
    const text = await response.text();
    assert.is(response.status, 200, text);
    for (const app of servers.apps) assert.is((await exchange(app, code)).status, 403);
    const value = (key: string) => new RegExp(`^${key} = "([^"]+)"`, 'm').exec(text)?.[1];
    const report = { uuid: value('agent_uuid'), time: 1 };
    for (const app of servers.apps)
      await eventually(async () => {
        const answer = app.call('agent_report_dynamic_summary', [value('token'), report]);
        assert.ok(await answer.catch(() => undefined));
      });
  });

for (const uses of [1, 3])
  test(`tried on both servers at the same time, a code for ${uses} lets in ${uses}`, async () => {
    const { id, code } = await create(servers.apps[0]!, { uses });
    const tries = Array.from({ length: 6 }, () => servers.apps).flat();
    const answers = await Promise.all(tries.map((app) => exchange(app, code)));
    assert.is(answers.filter(({ status }) => status === 200).length, uses);
    assert.is(answers.filter(({ status }) => status === 403).length, tries.length - uses);
    for (const app of servers.apps) {
      const codes = await app.call('enrol_list', [servers.superToken]);
      assert.is(codes.find((one: { id: number }) => one.id === id).used, uses);
    }
  });

test('a code that is revoked on one server is refused by the other one at once', async () => {
  const [one, two] = [servers.apps[0]!, servers.apps[1]!];
  const { id, code } = await create(one);
  await two.call('enrol_revoke', { token: servers.superToken, id });
  assert.is((await exchange(one, code)).status, 403);
});

test.run();
