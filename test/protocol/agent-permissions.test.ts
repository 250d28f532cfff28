// agent.md §1.2, §2, auth.md §6, §7: errors in the order of their detection, permissions and scopes.
import { bootForTest, type TestApp } from '@svc/plugin-sdk/testing';
import * as assert from 'uvu/assert';
import { suite } from '../runner/suite.ts';
import { A, B, failure, KINDS, PLUGINS, UNKNOWN } from './agent-kit.ts';

type Kind = (typeof KINDS)[number];
const agent = (uuid: string) => ({ agent_uuid: uuid });

/** The four sorts of calls of one kind: what they need, and with which parameters they name an agent. */
const sorts = (kind: Kind) => {
  const read = (field: string) => ({
    [kind.permission]: kind.kind === 'summary' ? 'read' : { read: field },
  });
  const ask = (conditions: unknown[], fields: readonly string[] = [kind.fields[0]]) => [
    { fields, condition: conditions },
  ];
  const denied = (right: string) =>
    `Permission denied: Permission Denied: Missing ${kind.label} ${right} permission`;
  const readDenied =
    kind.kind === 'summary'
      ? denied('Read')
      : `Permission denied: Permission Denied: Insufficient ${kind.label} Read permissions`;
  return [
    {
      sort: 'report',
      method: kind.report,
      right: { [kind.permission]: 'write' },
      params: (...uuids: string[]) => [kind.make(uuids[0]!, 1)],
      denied: denied('Write'),
      jsonData: false,
    },
    {
      sort: 'query',
      method: kind.query,
      right: read(kind.fields[0]),
      params: (...uuids: string[]) => ask(uuids.map((uuid) => ({ uuid }))),
      denied: readDenied,
      jsonData: true,
    },
    {
      sort: 'multi-last',
      method: kind.multiLast,
      right: read(kind.fields[0]),
      params: (...uuids: string[]) => [uuids, [kind.fields[0]]],
      denied: readDenied,
      jsonData: true,
    },
    {
      sort: 'delete',
      method: kind.remove,
      right: { [kind.permission]: 'delete' },
      params: (...uuids: string[]) => [uuids.map((uuid) => ({ uuid }))],
      denied: denied('Delete'),
      jsonData: false,
    },
  ];
};

for (const dialect of ['sqlite', 'postgres'] as const) {
  const test = suite(`agent: permissions (${dialect})`);
  let app: TestApp;

  test.before(async () => {
    app = await bootForTest(PLUGINS, {}, { dialect });
    for (const { report, make } of KINDS) {
      for (const uuid of [A, B]) await app.call(report, [app.superToken, make(uuid, 1)]);
    }
  });
  test.after(() => app.stop());

  for (const kind of KINDS) {
    for (const { sort, method, right, params, denied, jsonData } of sorts(kind)) {
      const call = (token: string, ...uuids: string[]) =>
        app.call(method, [token, ...params(...uuids)]);
      const refused = async (promise: Promise<unknown>, code: number, text: string) => {
        const { code: found, message, data } = await failure(promise);
        assert.is(found, code, message);
        assert.ok(message.startsWith(text), `${message} does not start with ${text}`);
        const expected = { error_id: code, error_message: message };
        if (jsonData) assert.equal(JSON.parse(data), expected, 'data is JSON in a string');
        else assert.is(data, undefined);
      };
      const name = `${kind.kind} ${sort}`;

      test(`${name}: bad params before bad credentials before missing rights`, async () => {
        const bad = await failure(app.call(method, ['neither', { bad: true }, 'x']));
        assert.equal([bad.code, typeof bad.data], [-32602, 'string']);
        const format = "must be 'key:secret' or 'username|password'";
        await refused(
          call('neither', A),
          101,
          `Parse error: Failed to parse token: Invalid token format: ${format}`,
        );
        await refused(call('nobody:wrong', A), 102, 'Permission denied: Invalid credentials');
        await refused(call('nobody|wrong', A), 102, 'Permission denied: Invalid credentials');
        await refused(call(`${app.superToken}x`, A), 102, 'Permission denied: Invalid credentials');
        await refused(call(await app.token([]), A), 102, denied);
      });

      test(`${name}: expired and early tokens are told like missing rights`, async () => {
        const limits = [{ scopes: ['global'], permissions: [right] }];
        const late = await app.token(limits, { timestamp_to: 1 });
        const early = await app.token(limits, { timestamp_from: 4102444800000 });
        await refused(call(late, A), 102, denied);
        await refused(call(early, A), 102, denied);
      });

      test(`${name}: global scope covers every agent, an agent scope its own`, async () => {
        const everywhere = await app.token([{ scopes: ['global'], permissions: [right] }]);
        const here = await app.token([{ scopes: [agent(A)], permissions: [right] }]);
        const urn = await app.token([{ scopes: [agent(`urn:uuid:${A}`)], permissions: [right] }]);
        await call(everywhere, A);
        await call(everywhere, B);
        await call(here, A);
        await call(here, A.toUpperCase());
        await call(urn, A);
        await refused(call(here, B), 102, denied);
        await call(app.superToken, A);
        await call(`root|${app.rootPassword}`, A);
      });

      test(`${name}: the rights of another kind or another verb do not help`, async () => {
        const others = KINDS.flatMap((other) => sorts(other).map((one) => one.right)).filter(
          (one) => JSON.stringify(one) !== JSON.stringify(right),
        );
        const token = await app.token([{ scopes: ['global'], permissions: others }]);
        await refused(call(token, A), 102, denied);
      });

      if (sort === 'report') continue;

      test(`${name}: several agents need a scope for each, in one entry or in several`, async () => {
        const one = await app.token([{ scopes: [agent(A)], permissions: [right] }]);
        const both = await app.token([{ scopes: [agent(A), agent(B)], permissions: [right] }]);
        const apart = await app.token([
          { scopes: [agent(A)], permissions: [right] },
          { scopes: [agent(B)], permissions: [right] },
        ]);
        await refused(call(one, A, B), 102, denied);
        await call(both, A, B);
        await call(apart, A, B);
      });

      test(`${name}: an unknown agent is 105, and 102 without the right`, async () => {
        const here = await app.token([{ scopes: [agent(A)], permissions: [right] }]);
        const there = await app.token([{ scopes: [agent(UNKNOWN)], permissions: [right] }]);
        await refused(call(app.superToken, UNKNOWN), 105, 'Not found in database: ');
        await refused(call(app.superToken, A, UNKNOWN), 105, 'Not found in database: ');
        await refused(call(there, UNKNOWN), 105, 'Not found in database: ');
        await refused(call(here, UNKNOWN), 102, denied);
        const { message } = await failure(call(app.superToken, UNKNOWN.toUpperCase()));
        assert.ok(message.endsWith(UNKNOWN), 'the text ends with the UUID');
      });

      if (sort !== 'multi-last') {
        test(`${name}: without an agent it needs global scope`, async () => {
          const everywhere = await app.token([{ scopes: ['global'], permissions: [right] }]);
          const here = await app.token([{ scopes: [agent(A)], permissions: [right] }]);
          await refused(call(here), 102, denied);
          await call(here, A);
          if (sort === 'query') await call(everywhere);
          else assert.is((await app.call(method, [everywhere, [{ limit: 0 }]])).deleted, 0);
        });
      }
    }

    if (kind.kind === 'summary') continue;

    test(`${kind.kind}: each field is granted by itself; none asked for needs any one`, async () => {
      const read = (field: string) => ({ [kind.permission]: { read: field } });
      const [first, second] = kind.fields;
      const one = await app.token([{ scopes: [agent(A)], permissions: [read(second)] }]);
      const both = await app.token([
        { scopes: [agent(A)], permissions: [read(first)] },
        { scopes: ['global'], permissions: [read(second)] },
      ]);
      const asks = [
        (token: string, fields: string[]) =>
          app.call(kind.query, [token, { fields, condition: [{ uuid: A }] }]),
        (token: string, fields: string[]) => app.call(kind.multiLast, [token, [A], fields]),
      ];
      for (const ask of asks) {
        await ask(one, [second]);
        await ask(one, []);
        await ask(both, [first, second]);
        for (const fields of [[first], [first, second], [second, first]]) {
          assert.is((await failure(ask(one, fields))).code, 102, fields.join());
        }
      }
      const split = await app.token([
        { scopes: [agent(A)], permissions: [read(first)] },
        { scopes: [agent(B)], permissions: [read(second)] },
      ]);
      const { code } = await failure(app.call(kind.multiLast, [split, [A, B], []]));
      assert.is(code, 102, 'one right must cover all agents');
    });
  }

  test('multi-last of no agent: the form of the credential counts, not its truth', async () => {
    for (const { multiLast } of KINDS) {
      assert.equal(await app.call(multiLast, ['nobody:wrong', [], []]), []);
      assert.equal(await app.call(multiLast, ['nobody|wrong', [], []]), []);
      const { code, message, data } = await failure(app.call(multiLast, ['neither', [], []]));
      assert.is(code, 101);
      assert.equal(JSON.parse(data), { error_id: 101, error_message: message });
      assert.is((await failure(app.call(multiLast, ['', [], []]))).code, 101);
    }
  });

  test('a failure of the database: 103, told twice by the read methods', async () => {
    for (const { table, query, multiLast } of KINDS) {
      // Takes the agent out of the cache.
      await app.call('agent-uuid_delete', [app.superToken, A]);
      await app.sql(`alter table ${table} rename to away`);
      const asked = { fields: [], condition: [{ uuid: A }] };
      const errors = [
        await failure(app.call(query, [app.superToken, asked])),
        await failure(app.call(multiLast, [app.superToken, [A], []])),
      ];
      await app.sql(`alter table away rename to ${table}`);
      for (const { code, message, data } of errors) {
        assert.is(code, 103);
        assert.match(message, /^Database error: /);
        assert.equal(JSON.parse(data), { error_id: 103, error_message: message });
      }
    }
  });

  test.run();
}
