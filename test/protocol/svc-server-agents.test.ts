// svc-server.md §5, agent-uuid.md §5: list_all_agent_uuid.
import { bootForTest, type TestApp } from '@svc/plugin-sdk/testing';
import * as assert from 'uvu/assert';
import { suite } from '../runner/suite.ts';

const A = '0b6f1c52-7a35-4d0e-9c1b-52d3a8e0f411';
const B = 'c01d3a7e-11f2-4b1c-8a55-0f6f2f1a9e20';
const DELETED = '5555f1c5-7a35-4d0e-9c1b-52d3a8e0f411';
const UNKNOWN = '99999999-7a35-4d0e-9c1b-52d3a8e0f411';

const on = (...uuids: string[]) => uuids.map((agent_uuid) => ({ agent_uuid }));
const list = { monitoring_uuid: 'list' };
const olderList = { svc: 'list_all_agent_uuid' };
const work = { monitoring_uuid: 'delete' };

// biome-ignore format: one case per line
const visible: [name: string, limits: unknown[], uuids: string[]][] = [
  ['list right, global', [{ scopes: ['global'], permissions: [list] }], [A, B]],
  ['older list right, global', [{ scopes: ['global'], permissions: [olderList] }], [A, B]],
  ['global among agents', [{ scopes: [...on(A), 'global'], permissions: [list] }], [A, B]],
  ['list and work on one agent, one entry', [{ scopes: on(A), permissions: [list, work] }], [A]],
  ['list and work on one agent, two entries', [{ scopes: on(A), permissions: [list] }, { scopes: on(A), permissions: [work] }], [A]],
  ['older list right and work', [{ scopes: on(B), permissions: [olderList, work] }], [B]],
  ['list on two, work on one', [{ scopes: on(A, B), permissions: [list] }, { scopes: on(B), permissions: [work] }], [B]],
  ['work on two, list on one', [{ scopes: on(A), permissions: [list] }, { scopes: on(A, B), permissions: [work] }], [A]],
  ['another word of the server kind is work', [{ scopes: on(A), permissions: [list, { svc: 'exec_sql' }] }], [A]],
  ['an agent in capitals is the same agent', [{ scopes: on(A.toUpperCase()), permissions: [list, work] }], [A]],
  ['both, in any order of entries, sorted', [{ scopes: on(B), permissions: [list, work] }, { scopes: on(A), permissions: [list, work] }], [A, B]],
  ['list alone shows no agent', [{ scopes: on(A), permissions: [list] }], []],
  ['two list rights are no work', [{ scopes: on(A), permissions: [list, olderList] }], []],
  ['global work does not count', [{ scopes: on(A), permissions: [list] }, { scopes: ['global'], permissions: [work] }], []],
  ['work on another agent does not count', [{ scopes: on(A), permissions: [list] }, { scopes: on(B), permissions: [work] }], []],
  ['a deleted agent is left out', [{ scopes: on(DELETED, A), permissions: [list, work] }], [A]],
  ['an unknown agent is left out', [{ scopes: on(UNKNOWN), permissions: [list, work] }], []],
];

// biome-ignore format: one case per line
const refused: [name: string, limits: unknown[], extra: Record<string, unknown>, message: string][] = [
  ['no limits', [], {}, 'Permission denied: Permission Denied: Insufficient svc ListAllAgentUuid permissions'],
  ['no list right', [{ scopes: ['global'], permissions: [work] }], {}, 'Permission denied: Permission Denied: Insufficient svc ListAllAgentUuid permissions'],
  ['list right without a scope', [{ scopes: [], permissions: [list] }], {}, 'Permission denied: Permission Denied: Insufficient svc ListAllAgentUuid permissions'],
  ['not yet valid', [{ scopes: ['global'], permissions: [list] }], { timestamp_from: 4102444800000 }, 'Permission denied: Token is not yet valid'],
  ['expired', [{ scopes: ['global'], permissions: [list] }], { timestamp_to: 0 }, 'Permission denied: Token has expired'],
  ['expired comes before the missing right', [], { timestamp_to: 0 }, 'Permission denied: Token has expired'],
];

for (const dialect of ['sqlite', 'postgres'] as const) {
  const test = suite(`svc-server: list_all_agent_uuid (${dialect})`);
  let app: TestApp;

  test.before(async () => {
    app = await bootForTest(['token', 'server-info', 'agent-uuid'], {}, { dialect });
    const literal = (uuid: string) =>
      dialect === 'sqlite' ? `x'${uuid.replaceAll('-', '')}'` : `'${uuid}'`;
    for (const uuid of [B, A, DELETED]) {
      await app.sql(
        `insert into monitoring_uuid (uuid, soft_delete) values (${literal(uuid)}, ${uuid === DELETED})`,
      );
    }
    await app.restart();
  });
  test.after(() => app.stop());

  const listAll = (token: string) => app.call('svc-server_list_all_agent_uuid', { token });
  const failure = (token: string): Promise<any> =>
    listAll(token).then(
      () => assert.unreachable('not refused'),
      (error) => error,
    );

  test('the Super Token sees every agent that is not deleted, in key and in account form', async () => {
    assert.equal(await listAll(app.superToken), { uuids: [A, B] });
    assert.equal(await listAll(`root|${app.rootPassword}`), { uuids: [A, B] });
  });

  for (const [name, limits, uuids] of visible) {
    test(`sees ${uuids.length}: ${name}`, async () => {
      assert.equal(await listAll(await app.token(limits)), { uuids });
    });
  }

  for (const [name, limits, extra, message] of refused) {
    test(`refuses: ${name}`, async () => {
      const error = await failure(await app.token(limits, extra));
      assert.equal([error.code, error.message], [102, message]);
    });
  }

  test('refuses bad credentials and missing ones', async () => {
    const wrong = await failure(`${await app.token([])}x`);
    assert.equal([wrong.code, wrong.message], [102, 'Permission denied: Invalid credentials']);
    const malformed = await failure('neither');
    assert.is(malformed.code, 101);
    assert.is(
      malformed.message,
      "Parse error: Failed to parse token: Invalid token format: must be 'key:secret' or 'username|password'",
    );
    const missing = await app.call('svc-server_list_all_agent_uuid', []).catch((error) => error);
    assert.equal([missing.code, missing.data], [-32602, 'No more params']);
  });

  test('without the plugin agent-uuid no agent is known', async () => {
    const alone = await bootForTest(['token', 'server-info'], {}, { dialect });
    try {
      assert.equal(await alone.call('svc-server_list_all_agent_uuid', [alone.superToken]), {
        uuids: [],
      });
    } finally {
      await alone.stop();
    }
  });

  test.run();
}
