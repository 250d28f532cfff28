// A question that comes again in the same words is not read again: nobody else may profit from that.
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { bootForTest, type TestApp } from '@svc/plugin-sdk/testing';
import * as assert from 'uvu/assert';
import { suite } from '../runner/suite.ts';
import { A, B, PLUGINS, summaryReport } from './agent-kit.ts';

const test = suite('agent: the same question again');
let app: TestApp;

test.before(async () => {
  app = await bootForTest(PLUGINS);
  for (const [uuid, time] of [
    [A, 10],
    [B, 20],
  ] as const)
    await app.call('agent_report_dynamic_summary', [app.superToken, summaryReport({ uuid, time })]);
});
test.after(() => app.stop());

async function ask(params: string): Promise<{ result?: any; error?: any }> {
  const method = 'agent_dynamic_summary_multi_last_query';
  const response = await fetch(app.url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: `{"jsonrpc":"2.0","id":1,"method":"${method}","params":${params}}`,
  });
  return (await response.json()) as never;
}

/** Few agents, and so many spellings of them that the message is long. */
const LISTS = { short: [A, B], long: Array.from({ length: 400 }, (_, n) => (n % 2 ? B : A)) };

for (const [length, uuids] of Object.entries(LISTS)) {
  const list = JSON.stringify(uuids);
  const rest = `"uuids":${list},"fields":["uptime"]`;
  const named = (token: string) => ask(`{"token":${JSON.stringify(token)},${rest}}`);
  const listed = (token: string) => ask(`[${JSON.stringify(token)},${list},["uptime"]]`);

  for (const [form, question] of Object.entries({ named, listed })) {
    test(`${length}, ${form}: is answered with what is there now`, async () => {
      const { result } = await question(app.superToken);
      assert.equal(
        result.map((row: any) => row.uuid),
        [A, B],
      );
      assert.equal((await question(app.superToken)).result, result);
      const time = result[0].timestamp + 1;
      await app.call('agent_report_dynamic_summary', [
        app.superToken,
        summaryReport({ uuid: A, time }),
      ]);
      assert.is((await question(app.superToken)).result[0].timestamp, time);
    });

    test(`${length}, ${form}: every caller shows an own credential`, async () => {
      await question(app.superToken);
      const scopes = [{ agent_uuid: A }];
      const permissions = [{ dynamic_monitoring_summary: 'read' }];
      const weak = await app.token([{ scopes, permissions }]);
      const refused = [
        ['wrong:secret', 102],
        ['no credential', 101],
        ['', 101],
        [weak, 102],
        ['a "quoted\\" one', 101],
      ] as const;
      for (const [token, code] of refused)
        assert.is((await question(token)).error?.code, code, token);
      assert.is((await question(app.superToken)).error, undefined);
    });
  }

  test(`${length}: words that only look the same are looked at`, async () => {
    const token = JSON.stringify(app.superToken);
    await named(app.superToken);
    await listed(app.superToken);
    const wrong = [
      `{"uuids":${token},${rest}}`,
      `{"fields":${token},${rest}}`,
      `{"other":${token},${rest}}`,
      `{"token":${token},${rest},"token":"x:y"}`,
      `{"token":${token},${rest.replace('uptime', 'uptimes')}}`,
      `{"token":5,${rest}}`,
      `[${token},${list},["uptime"]`,
      `["length":${token},${list},["uptime"]]`,
    ];
    for (const params of wrong) {
      const { error } = await ask(params);
      assert.ok([-32602, -32700].includes(error?.code), `${params.slice(0, 80)}: ${error?.code}`);
    }
  });
}

test('a long answer is the same by every way, however often, until a report comes', async () => {
  const method = 'agent_dynamic_summary_multi_last_query';
  const uuids = Array.from({ length: 100 }, () => randomUUID());
  const report = (uuid: string | undefined, time: number) =>
    app.call('agent_report_dynamic_summary', [app.superToken, summaryReport({ uuid, time })]);
  for (const uuid of uuids) await report(uuid, 30);
  const params = { token: app.superToken, uuids, fields: [] };
  const call = (id: number) => ({ jsonrpc: '2.0', id, method, params });
  const socket = new WebSocket(app.url.replace('http', 'ws'));
  const heard = async (request: unknown): Promise<any> => {
    const message = once(socket, 'message');
    socket.send(JSON.stringify(request));
    return JSON.parse((await message)[0].data);
  };
  await once(socket, 'open');
  for (const time of [30, 31]) {
    await report(uuids[7], time);
    const rows: any[] = await app.call(method, params);
    assert.equal(
      rows.map(({ uuid, timestamp }) => [uuid, timestamp]),
      uuids.map((uuid, n) => [uuid, n === 7 ? time : 30]),
    );
    for (let n = 0; n < 2; n++) {
      assert.equal((await ask(JSON.stringify(params))).result, rows);
      assert.equal((await heard(call(1))).result, rows);
      const both = await heard([call(1), call(2)]);
      assert.equal(
        both.map(({ result }: any) => result),
        [rows, rows],
      );
    }
  }
  socket.close();
});

test.run();
