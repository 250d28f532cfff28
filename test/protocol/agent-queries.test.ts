// agent.md §3, §4, §6.1: conditions, fields, order and number of rows.
import { bootForTest, type TestApp } from '@svc/plugin-sdk/testing';
import fc from 'fast-check';
import * as assert from 'uvu/assert';
import { suite } from '../runner/suite.ts';
import { A, B, C, callText, failure, KINDS, PLUGINS, summaryReport } from './agent-kit.ts';

const uuid = { uuid: A };

/** Conditions over reports of A at 10, 20, 30, 40 and of B at 15, 30; timestamps in the order of the answer. */
// biome-ignore format: one case per line
const answers: [name: string, condition: unknown[], timestamps: number[]][] = [
  ['no condition: all, ascending', [], [10, 15, 20, 30, 30, 40]],
  ['uuid', [uuid], [10, 20, 30, 40]],
  ['uuid in capitals', [{ uuid: A.toUpperCase() }], [10, 20, 30, 40]],
  ['timestamp_from_to, both ends included', [uuid, { timestamp_from_to: [20, 30] }], [20, 30]],
  ['timestamp_from', [uuid, { timestamp_from: 30 }], [30, 40]],
  ['timestamp_from between', [uuid, { timestamp_from: 21 }], [30, 40]],
  ['timestamp_to', [uuid, { timestamp_to: 20 }], [10, 20]],
  ['the same bounds twice', [uuid, { timestamp_from: 10 }, { timestamp_from: 20 }, { timestamp_to: 40 }, { timestamp_to: 30 }], [20, 30]],
  ['from after to', [uuid, { timestamp_from_to: [30, 20] }], []],
  ['from and to that exclude each other', [uuid, { timestamp_from: 30 }, { timestamp_to: 20 }], []],
  ['negative times', [uuid, { timestamp_from: -5 }, { timestamp_to: 10 }], [10]],
  ['the smallest and the largest time', [uuid, { timestamp_from_to: [-9007199254740991, 9007199254740991] }], [10, 20, 30, 40]],
  ['times without an agent', [{ timestamp_from_to: [15, 20] }], [15, 20]],
  ['storage_time_from: everything is newer', [uuid, { storage_time_from: 1000 }], [10, 20, 30, 40]],
  ['storage_time_to: nothing is older', [uuid, { storage_time_to: 1000 }], []],
  ['storage_time_from_to', [uuid, { storage_time_from_to: [1000, 9007199254740991] }], [10, 20, 30, 40]],
  ['storage_time_from_to the wrong way round', [uuid, { storage_time_from_to: [9007199254740991, 1000] }], []],
  ['storage time and time', [uuid, { storage_time_from: 1000 }, { timestamp_to: 10 }], [10]],
  ['limit: newest first', [uuid, { limit: 2 }], [40, 30]],
  ['limit larger than the number of rows', [uuid, { limit: 100 }], [40, 30, 20, 10]],
  ['limit 0', [uuid, { limit: 0 }], []],
  ['limit 10001', [uuid, { limit: 10_001 }], [40, 30, 20, 10]],
  ['the last limit counts', [uuid, { limit: 1 }, { limit: 3 }], [40, 30, 20]],
  ['limit before the uuid', [{ limit: 2 }, uuid], [40, 30]],
  ['limit and a range', [uuid, { timestamp_to: 30 }, { limit: 2 }], [30, 20]],
  ['limit without an agent', [{ limit: 3 }], [40, 30, 30]],
  ['last as a word', [uuid, 'last'], [40]],
  ['last as an object', [uuid, { last: null }], [40]],
  ['last beats a later limit', [uuid, 'last', { limit: 5 }], [40]],
  ['last beats an earlier limit', [uuid, { limit: 5 }, { last: null }], [40]],
  ['last beats limit 0', [uuid, { limit: 0 }, 'last'], [40]],
  ['last twice', [uuid, 'last', 'last'], [40]],
  ['last of a range', [uuid, { timestamp_to: 35 }, 'last'], [30]],
  ['last without an agent', ['last'], [40]],
  ['the same agent twice', [uuid, uuid], [10, 20, 30, 40]],
  ['the same agent in two spellings', [uuid, { uuid: `{${A}}` }], [10, 20, 30, 40]],
  ['two agents match nothing', [uuid, { uuid: B }], []],
  ['two agents and last', [uuid, { uuid: B }, 'last'], []],
  ['a registered agent without rows', [{ uuid: C }], []],
];

/** JSON of condition lists that do not decode. */
// biome-ignore format: one case per line
const malformed: [name: string, text: string][] = [
  ['last with a value', '[{"last":0}]'], ['last true', '[{"last":true}]'], ['another word', '["first"]'], ['an empty object', '[{}]'],
  ['two members', `[{"uuid":"${A}","limit":1}]`], ['last and another member', '[{"last":null,"limit":1}]'], ['an unknown kind', '[{"timestamp":1}]'],
  ['negative limit', '[{"limit":-1}]'], ['fractional limit', '[{"limit":1.5}]'], ['limit as text', '[{"limit":"1"}]'], ['limit null', '[{"limit":null}]'],
  ['limit above 2^64-1', '[{"limit":18446744073709551616}]'], ['one time for a pair', '[{"timestamp_from_to":[1]}]'],
  ['three times for a pair', '[{"timestamp_from_to":[1,2,3]}]'], ['a time for a pair', '[{"timestamp_from_to":1}]'], ['a pair for a time', '[{"timestamp_from":[1,2]}]'],
  ['fractional time', '[{"timestamp_from":1.5}]'], ['time as text', '[{"timestamp_to":"1"}]'], ['time above 2^63-1', '[{"timestamp_to":9223372036854775808}]'],
  ['time below -2^63', '[{"storage_time_from":-9223372036854775809}]'], ['null in a pair', '[{"storage_time_from_to":[null,1]}]'],
  ['a malformed uuid', '[{"uuid":"x"}]'], ['uuid null', '[{"uuid":null}]'], ['an array in the list', '[[]]'], ['null in the list', '[null]'], ['a number in the list', '[1]'],
  ['no list', '{}'], ['null', 'null'],
];

/** Largest integers are legal and change nothing. */
const extremes = [
  '[{"uuid":"$"},{"limit":18446744073709551615}]',
  '[{"uuid":"$"},{"limit":9223372036854775808}]',
  '[{"uuid":"$"},{"timestamp_from_to":[-9223372036854775808,9223372036854775807]},{"limit":9}]',
];

for (const dialect of ['sqlite', 'postgres'] as const) {
  const test = suite(`agent: queries (${dialect})`);
  let app: TestApp;

  const call = (method: string, ...params: unknown[]) =>
    app.call(method, [app.superToken, ...params]);

  test.before(async () => {
    app = await bootForTest(PLUGINS, { max_response_body_size: 1_000_000 }, { dialect });
    for (const { report, make } of KINDS) {
      for (const time of [30, 10, 40, 20]) await call(report, make(A, time));
      for (const time of [15, 30]) await call(report, make(B, time));
    }
    await call('agent_report_dynamic_summary', summaryReport({ uuid: C }));
    await call('agent_delete_dynamic_summary', [{ uuid: C }]);
  });
  test.after(() => app.stop());

  for (const { kind, query, queryParam, fields } of KINDS) {
    const asked = (names: unknown[], condition: unknown[]) =>
      call(query, { fields: names, condition });

    for (const [name, condition, timestamps] of answers) {
      test(`${kind}: ${name}`, async () => {
        const rows = await asked([], condition);
        assert.equal(
          rows.map((row: any) => row.timestamp),
          timestamps,
        );
      });
    }

    for (const [name, text] of malformed) {
      test(`${kind}: ${name} is -32602`, async () => {
        const params = `["nobody:wrong",{"fields":[],"condition":${text}}]`;
        const { error } = JSON.parse(await callText(app, query, params));
        assert.equal(
          [error?.code, error?.message, typeof error?.data],
          [-32602, 'Invalid params', 'string'],
        );
      });
    }

    test(`${kind}: the largest numbers of the grammar`, async () => {
      for (const text of extremes) {
        const condition = text.replace('$', A);
        const params = `["${app.superToken}",{"fields":[],"condition":${condition}}]`;
        const { result } = JSON.parse(await callText(app, query, params));
        assert.equal(
          result?.map((row: any) => row.timestamp),
          [40, 30, 20, 10],
          text,
        );
      }
    });

    test(`${kind}: each field alone, all of them, doubles, and the object form`, async () => {
      const condition = [uuid, 'last'];
      const keys = (rows: any[]) => Object.keys(rows[0]).sort();
      for (const field of fields) {
        const expected = ['timestamp', 'uuid', field].sort();
        assert.equal(keys(await asked([field], condition)), expected);
        assert.equal(keys(await asked([{ [field]: null }], condition)), expected);
        assert.equal(keys(await asked([field, field, { [field]: null }], condition)), expected);
      }
      const everything = ['timestamp', 'uuid', ...fields].sort();
      assert.equal(keys(await asked([...fields].reverse(), condition)), everything);
      const none = kind === 'summary' ? everything : ['timestamp', 'uuid'];
      assert.equal(keys(await asked([], condition)), none);
    });

    test(`${kind}: unknown fields and query members`, async () => {
      for (const bad of [['nothing'], [1], [null], [{}], [{ cpu: 1 }], ['CPU'], 'cpu', null]) {
        const { code } = await failure(call(query, { fields: bad, condition: [] }));
        assert.is(code, -32602, JSON.stringify(bad));
      }
      for (const bad of [{ fields: [] }, { condition: [] }, [], null]) {
        assert.is((await failure(call(query, bad))).code, -32602);
      }
      const camel = queryParam.replace(/_(.)/g, (_all, letter) => letter.toUpperCase());
      const token = app.superToken;
      const value = { fields: [], condition: [uuid, 'last'], conditions: [], unknown: 1 };
      assert.is((await app.call(query, { token, [camel]: value })).length, 1);
      assert.is((await app.call(query, [token, value, 'surplus'])).length, 1);
    });
  }

  test('rows of equal time are ordered by arrival, in both directions', async () => {
    const day = '33333333-7a35-4d0e-9c1b-52d3a8e0f411';
    for (const used_swap of [1, 2, 3]) {
      await call('agent_report_dynamic_summary', summaryReport({ uuid: day, time: 7, used_swap }));
    }
    const asked = async (...condition: unknown[]) => {
      const rows = await call('agent_query_dynamic_summary', {
        fields: ['used_swap'],
        condition: [{ uuid: day }, ...condition],
      });
      return rows.map((row: any) => row.used_swap);
    };
    assert.equal(await asked(), [1, 2, 3]);
    assert.equal(await asked({ limit: 2 }), [3, 2]);
    assert.equal(await asked('last'), [3]);
    const [newest] = await call('agent_dynamic_summary_multi_last_query', [day], ['used_swap']);
    assert.is(newest.used_swap, 3);
    await call('agent_delete_dynamic_summary', [{ uuid: day }]);
  });

  test('at most 10,000 rows: the oldest without limit, the newest with one', async () => {
    const many = '44444444-7a35-4d0e-9c1b-52d3a8e0f411';
    await call('agent_report_dynamic_summary', summaryReport({ uuid: many, time: 0 }));
    await fill(app, many, 10_050);
    const asked = (...condition: unknown[]) =>
      call('agent_query_dynamic_summary', {
        fields: ['uptime'],
        condition: [{ uuid: many }, ...condition],
      });
    const oldest = await asked();
    assert.equal([oldest.length, oldest[0].timestamp, oldest.at(-1).timestamp], [10_000, 0, 9_999]);
    const newest = await asked({ limit: 20_000 });
    assert.equal(
      [newest.length, newest[0].timestamp, newest.at(-1).timestamp],
      [10_000, 10_050, 51],
    );
    assert.is((await asked({ limit: 10_000 })).length, 10_000);
    assert.is((await asked({ limit: 9_999 })).length, 9_999);
    const paged = await asked({ timestamp_from: 10_000 });
    assert.equal([paged.length, paged[0].timestamp], [51, 10_000]);
  });

  test('an answer beyond the response limit is -32008 and nothing else', async () => {
    const many = '44444444-7a35-4d0e-9c1b-52d3a8e0f411';
    const asked = { fields: [], condition: [{ uuid: many }] };
    const { code, message, data } = await failure(call('agent_query_dynamic_summary', asked));
    assert.equal(
      [code, message, data],
      [-32008, 'Response is too big', 'Exceeded max limit of 1000000'],
    );
    const few = { fields: [], condition: [{ uuid: many }, { limit: 3 }] };
    assert.is((await call('agent_query_dynamic_summary', few)).length, 3);
    await call('agent_delete_dynamic_summary', [{ uuid: many }]);
  });

  test('any list of conditions gives what a filter over the rows gives', async () => {
    const rows = [
      [10, A],
      [15, B],
      [20, A],
      [30, A],
      [30, B],
      [40, A],
    ] as const;
    const time = fc.integer({ min: 5, max: 45 });
    const condition = fc.oneof(
      fc.constantFrom({ uuid: A }, { uuid: B }, 'last' as const, { last: null }),
      time.map((timestamp_from) => ({ timestamp_from })),
      time.map((timestamp_to) => ({ timestamp_to })),
      fc.tuple(time, time).map((timestamp_from_to) => ({ timestamp_from_to })),
      fc.integer({ min: 0, max: 8 }).map((limit) => ({ limit })),
    );
    const model = (list: any[]) => {
      const kept = rows.filter(([at, agent]) =>
        list.every(
          ({ uuid: only, timestamp_from = 0, timestamp_to = 99, timestamp_from_to = [0, 99] }) =>
            (only === undefined || only === agent) &&
            at >= timestamp_from &&
            at <= timestamp_to &&
            at >= timestamp_from_to[0] &&
            at <= timestamp_from_to[1],
        ),
      );
      const isLast = list.some((one) => one === 'last' || 'last' in one);
      const limit = isLast
        ? 1
        : list.filter((one) => one !== 'last' && 'limit' in one).at(-1)?.limit;
      const times = kept.map(([at]) => at);
      return limit === undefined ? times : times.reverse().slice(0, limit);
    };
    await fc.assert(
      fc.asyncProperty(fc.array(condition, { maxLength: 5 }), async (list) => {
        const found = await call('agent_query_dynamic', { fields: [], condition: list });
        assert.equal(
          found.map((row: any) => row.timestamp),
          model(list),
        );
      }),
      { numRuns: 150 },
    );
  });

  test.run();
}

/** Rows of an agent at times 1 to `last`. */
async function fill(app: TestApp, uuid: string, last: number): Promise<void> {
  const key = app.dialect === 'sqlite' ? `x'${uuid.replaceAll('-', '')}'` : `'${uuid}'`;
  const [{ id }] = await app.sql(`select id from monitoring_uuid where uuid = ${key}`);
  const series =
    app.dialect === 'sqlite'
      ? `with recursive n(value) as (select 1 union all select value + 1 from n where value < ${last})`
      : `with n(value) as (select generate_series(1, ${last}))`;
  const ids = app.dialect === 'sqlite' ? ['', ''] : ['id, ', 'value, '];
  await app.sql(
    `${series} insert into dynamic_monitoring_summary (${ids[0]} uuid_id, timestamp, storage_time)
     select ${ids[1]} ${id}, value, value from n`,
  );
}
