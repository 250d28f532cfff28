// svc-server.md §12, §13: exec_sql, get_database_type. Tables read: [what holds, sql, params, expected].
import { bootForTest, type RpcFailure, type TestApp } from '@svc/plugin-sdk/testing';
import * as assert from 'uvu/assert';
import { suite } from '../runner/suite.ts';
import { bindingCases, placeholderCases, refusedCases, textCases } from './sql-values-cases.ts';
import { countCases, endless, numbers, rowCases } from './svc-server-sql-cases.ts';
import { eventually } from './token-kit.ts';

type ErrorCase = [name: string, params: unknown, code: number, message: RegExp];

const denied = /^Permission denied: Permission Denied: missing svc\.exec_sql permission$/;

for (const dialect of ['sqlite', 'postgres'] as const) {
  const test = suite<{ app: TestApp }>(`svc-server: SQL (${dialect})`);
  let app: TestApp;

  test.before(async () => {
    app = await bootForTest(['token', 'server-info'], {}, { dialect });
  });
  test.after(() => app.stop());

  const exec = (sql: string, params?: unknown) =>
    app.call('svc-server_exec_sql', [app.superToken, sql, params]);
  /** The answer as text: what a double cannot hold must be seen before it is parsed. */
  const execRaw = async (sql: string, params: string) => {
    const head = `"jsonrpc":"2.0","id":1,"method":"svc-server_exec_sql"`;
    const body = `{${head},"params":[${JSON.stringify(app.superToken)},${JSON.stringify(sql)},${params}]}`;
    const answer = await app.fetch('/', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
    });
    return answer.text();
  };
  const refused = async (method: string, params: unknown, code: number, message: RegExp) => {
    const error: RpcFailure | undefined = await app.call(method, params).then(
      () => undefined,
      (failure) => failure,
    );
    assert.ok(error, 'the call was not refused');
    assert.is(error.code, code);
    assert.match(error.message, message);
  };

  for (const [name, sql, params, rows] of rowCases[dialect]) {
    test(`exec_sql converts: ${name}`, async () => {
      assert.equal(await exec(sql, params), {
        success: true,
        data: rows,
        row_count: rows.length,
        truncated: false,
      });
    });
  }

  if (dialect === 'sqlite') {
    for (const [name, sql, params, rows] of [...placeholderCases, ...bindingCases, ...textCases]) {
      test(`exec_sql binds and reads as db_exec_sql does: ${name}`, async () => {
        const { result, error } = JSON.parse(await execRaw(sql, params));
        assert.is(error, undefined, error?.message);
        assert.equal(result.data, rows);
      });
    }
    for (const [name, sql, params, code, message] of refusedCases) {
      test(`exec_sql refuses what db_exec_sql does: ${name}`, async () => {
        const { error } = JSON.parse(await execRaw(sql, params));
        assert.is(error?.code, code);
        assert.match(error.message, message);
      });
    }
  } else {
    test('exec_sql tells an integer from a real by its spelling', async () => {
      const { result } = JSON.parse(await execRaw('select $1 / 2 as a, $2 / 2 as b', '[5,5.0]'));
      assert.equal(result.data, [{ a: 2, b: 2.5 }]);
    });

    test('exec_sql refuses an integer that int8 cannot hold, and a value without a place', async () => {
      const { error } = JSON.parse(await execRaw('select $1', '[9223372036854775808]'));
      assert.is(error?.code, 108);
      for (const values of ['[1,2]', '[1,"x"]', '[1,true]']) {
        assert.is(JSON.parse(await execRaw('select $1 as v', values)).error?.code, 999, values);
      }
    });
  }

  test('exec_sql keeps 64-bit integers exact, stored and bound', async () => {
    const sql = {
      sqlite: 'select ? as a, 9223372036854775807 as b',
      postgres: 'select $1::int8 as a, 9223372036854775807 as b',
    };
    const text = await execRaw(sql[dialect], '[-9223372036854775808]');
    assert.match(text, '"a":-9223372036854775808');
    assert.match(text, '"b":9223372036854775807');
  });

  test('exec_sql keeps 64-bit integers of stored JSON exact', async () => {
    const sql = {
      sqlite: `select cast('{"n":18446744073709551615}' as blob) as v`,
      postgres: `select '{"n":18446744073709551615}'::jsonb as v`,
    };
    assert.match(await execRaw(sql[dialect], 'null'), '"v":{"n":18446744073709551615}');
  });

  for (const [name, sql, rowCount, rows, truncated] of countCases) {
    test(`exec_sql counts: ${name}`, async () => {
      const { data, ...rest } = await exec(sql);
      assert.is(data.length, rows);
      assert.equal(rest, { success: true, row_count: rowCount, truncated });
    });
  }

  test('exec_sql takes its parameters by name', async () => {
    const sql = dialect === 'sqlite' ? 'select ? as v' : 'select $1::text as v';
    const named = { token: app.superToken, sql, params: ['x'], unknown: 1 };
    assert.equal((await app.call('svc-server_exec_sql', named)).data, [{ v: 'x' }]);
  });

  test('exec_sql refuses what is not a list of parameters, with nothing run', async () => {
    for (const params of [{}, 'x', 1, true]) {
      await refused(
        'svc-server_exec_sql',
        [app.superToken, 'create table never (i int)', params],
        108,
        /^Invalid input: params must be an array or null$/,
      );
    }
    await refused(
      'svc-server_exec_sql',
      [app.superToken, 'select * from never'],
      999,
      /^Other error: .*never/,
    );
  });

  // biome-ignore format: one case per line
  const errorCases: ErrorCase[] = [
    ['no such table', 'select * from nowhere', 999, /^Other error: .*nowhere/],
    ['syntax', 'selekt 1', 999, /^Other error: .*selekt/],
    ...(dialect === 'sqlite' ? [] : [['a placeholder without a value', 'select $1::int', 999, /^Other error: ./] as ErrorCase]),
    ['division by zero or a broken constraint', dialect === 'sqlite' ? 'insert into token (id) values (1)' : 'select 1/0', 999, /^Other error: ./],
  ];
  for (const [name, sql, code, message] of errorCases) {
    test(`exec_sql answers the driver's text: ${name}`, () =>
      refused('svc-server_exec_sql', [app.superToken, sql], code, message));
  }

  if (dialect === 'postgres') {
    test('exec_sql refuses several statements on the client-server database', () =>
      refused(
        'svc-server_exec_sql',
        [app.superToken, 'select 1; select 2'],
        999,
        /^Other error: ./,
      ));

    test('exec_sql shows timestamps, numerics and arrays instead of null', async () => {
      const sql = `select timestamptz '2026-03-02 18:04:11+00' as t, 12.50::numeric as n, array[1, null, 3] as a, date '2026-03-02' as d`;
      const [row] = (await exec(sql)).data;
      assert.is(Date.parse(row.t), Date.UTC(2026, 2, 2, 18, 4, 11));
      assert.is(Number(row.n), 12.5);
      assert.match(JSON.stringify(row.a), /1.*(null|NULL).*3/);
      assert.match(row.d, /^2026-03-02/);
    });
  }

  test('exec_sql ends a statement at its time limit and goes on serving', async () => {
    const limit = { 'server-info': { exec_sql_timeout_ms: 3000 } };
    const strict = await bootForTest(['token', 'server-info'], limit, { dialect });
    const execHere = (sql: string) =>
      strict.call('svc-server_exec_sql', [strict.superToken, sql]).catch((error) => error);
    try {
      const round = async () => {
        let running = true;
        const slow = execHere(endless[dialect]).finally(() => {
          running = false;
        });
        assert.type(await strict.call('svc-server_hello'), 'string');
        const between = running;
        const { code, message } = await slow;
        assert.is(code, 999);
        assert.match(message, /^Other error: ./);
        return between;
      };
      // A machine may stand still for as long as the limit: not time after time.
      let between = await round();
      for (let left = 4; left > 0 && !between; left--) between = await round();
      assert.ok(between, 'a running statement held another call up');
      // On a busy machine even the start of a process for it may take longer than this limit.
      await eventually(async () => {
        assert.equal((await execHere('select 1 as v')).data, [{ v: 1 }]);
      });
    } finally {
      await strict.stop();
    }
  });

  test('exec_sql ends statements whose caller has gone', async () => {
    const limit = { 'server-info': { exec_sql_timeout_ms: 120_000 } };
    const patient = await bootForTest(['token', 'server-info'], limit, { dialect });
    try {
      const id = '"jsonrpc":"2.0","id":1,"method":"svc-server_exec_sql"';
      const slow = JSON.stringify([patient.superToken, endless[dialect]]);
      const sockets = await Promise.all(Array.from({ length: 12 }, () => patient.connect()));
      for (const socket of sockets) socket.send(`{${id},"params":${slow}}`);
      // By this answer the call before it has been read.
      await Promise.all(sockets.map((socket) => socket.call('svc-server_hello')));
      for (const socket of sockets) socket.close();
      const { data } = await patient.call('svc-server_exec_sql', [
        patient.superToken,
        'select 1 as v',
      ]);
      assert.equal(data, [{ v: 1 }]);
    } finally {
      await patient.stop();
    }
  });

  test('exec_sql over the response limit is -32008, and the server goes on', async () => {
    const tight = { max_response_body_size: 5000 };
    const small = await bootForTest(['token', 'server-info'], tight, { dialect });
    try {
      const rows = (count: number) =>
        small.call('svc-server_exec_sql', [small.superToken, numbers(1, count)]).catch((e) => e);
      const refusal = await rows(1000);
      assert.equal([refusal.code, refusal.data], [-32008, 'Exceeded max limit of 5000']);
      assert.is((await rows(100)).row_count, 100);
    } finally {
      await small.stop();
    }
  });

  test('exec_sql needs its right in global scope', async () => {
    const grant = (scope: unknown, permission: unknown, extra?: Record<string, unknown>) =>
      app.token([{ scopes: [scope], permissions: [permission] }], extra);
    const holder = await grant('global', { svc: 'exec_sql' });
    assert.equal((await app.call('svc-server_exec_sql', [holder, 'select 1 as v'])).data, [
      { v: 1 },
    ]);
    const others = [
      await grant({ agent_uuid: '0b6f1c52-7a35-4d0e-9c1b-52d3a8e0f411' }, { svc: 'exec_sql' }),
      await grant('global', { db: 'exec_sql' }),
      await grant('global', { svc: 'exec_sql' }, { timestamp_to: 1 }),
    ];
    for (const method of ['svc-server_exec_sql', 'svc-server_get_database_type']) {
      for (const token of others) await refused(method, [token, 'select 1'], 102, denied);
      await refused(
        method,
        [`${holder}x`, 'select 1'],
        102,
        /^Permission denied: Invalid credentials$/,
      );
      await refused(
        method,
        ['neither', 'select 1'],
        101,
        /^Parse error: Failed to parse token: Invalid token format: /,
      );
    }
    assert.equal(await app.call('svc-server_get_database_type', { token: holder }), {
      success: true,
      data: dialect,
    });
  });

  test('a token deleted with the tools of the database stops working', async () => {
    const token = await app.token([{ scopes: ['global'], permissions: [{ svc: 'exec_sql' }] }]);
    await app.sql(`delete from token where token_key = '${token.split(':')[0]}'`);
    const until = Date.now() + 30_000;
    let error: RpcFailure | undefined;
    while (!error && Date.now() < until) {
      await app.call('svc-server_get_database_type', [token]).catch((failure) => {
        error = failure;
      });
    }
    assert.is(error?.message, 'Permission denied: Invalid credentials');
  });

  test('get_database_type names the engine', async () => {
    assert.equal(await app.call('svc-server_get_database_type', [app.superToken]), {
      success: true,
      data: dialect,
    });
  });

  test.run();
}
