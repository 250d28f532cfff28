// monitoring-data.md §2, §4, §5: decoding rules, UUIDs, times, texts, scaling.
import { bootForTest, type TestApp } from '@svc/plugin-sdk/testing';
import * as assert from 'uvu/assert';
import { until } from '../bus-kit.ts';
import { suite } from '../runner/suite.ts';
import {
  A,
  callText,
  dynamicReport,
  failure,
  KINDS,
  PLUGINS,
  staticReport,
  summaryReport,
  withLiteral,
} from './agent-kit.ts';

const INVALID_PARAMS = -32602;
const INVALID_INPUT = 108;

const spellings: [name: string, text: string, accepted: boolean][] = [
  ['hyphenated', A, true],
  ['upper case', A.toUpperCase(), true],
  ['32 hex digits', A.replaceAll('-', ''), true],
  ['32 hex digits in upper case', A.replaceAll('-', '').toUpperCase(), true],
  ['in braces', `{${A}}`, true],
  ['as a URN', `urn:uuid:${A}`, true],
  ['URN prefix in upper case', `URN:UUID:${A}`, false],
  ['braces around 32 digits', `{${A.replaceAll('-', '')}}`, false],
  ['URN of 32 digits', `urn:uuid:${A.replaceAll('-', '')}`, false],
  ['white space before', ` ${A}`, false],
  ['white space after', `${A}\n`, false],
  ['one digit short', A.slice(1), false],
  ['one digit more', `${A}0`, false],
  ['hyphens in other places', '0b6f1c527-a35-4d0e-9c1b-52d3a8e0f411', false],
  ['no hex digit', A.replace('0b', '0g'), false],
  ['empty', '', false],
];

const times: [literal: string, code: number | undefined][] = [
  ['0', undefined],
  ['1781000000123', undefined],
  ['9007199254740993', undefined],
  ['9223372036854775807', undefined],
  ['9223372036854775808', INVALID_INPUT],
  ['18446744073709551615', INVALID_INPUT],
  ['18446744073709551616', INVALID_PARAMS],
  ['-1', INVALID_PARAMS],
  ['0.5', INVALID_PARAMS],
  ['"1781000000123"', INVALID_PARAMS],
  ['null', INVALID_PARAMS],
];

/** JSON text of a string, and whether both databases can store it, else the code of the refusal. */
const texts: [name: string, literal: string, accepted: true | number][] = [
  ['U+0000 alone', '"\\u0000"', INVALID_INPUT],
  ['U+0000 inside', '"a\\u0000b"', INVALID_INPUT],
  ['U+0000 after a backslash', '"\\\\\\u0000"', INVALID_INPUT],
  ['the first half of a surrogate pair', '"\\ud83d"', INVALID_PARAMS],
  ['the second half of a surrogate pair', '"a\\udE00"', INVALID_PARAMS],
  ['a whole surrogate pair', '"\\ud83d\\ude00"', true],
  ['a backslash and u0000 as characters', '"\\\\u0000"', true],
  ['other control characters', '"\\u0001\\u001f\\u007f"', true],
];

const scaling: [reported: number | null, returned: number | null][] = [
  [534, 53.4],
  [172, 17.2],
  [15, 1.5],
  [3, 0.3],
  [1, 0.1],
  [0, 0],
  [1000, 100],
  [-5, -0.5],
  [32767, 3276.7],
  [-32768, -3276.8],
  [null, null],
];

/** Adds a member to every object of a value. */
function polluted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(polluted);
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).map(([name, member]) => [name, polluted(member)]);
  return Object.fromEntries([...members, ['unknown_member', { deep: [1] }], ['Uuid', 'x']]);
}

for (const dialect of ['sqlite', 'postgres'] as const) {
  const test = suite(`monitoring data (${dialect})`);
  let app: TestApp;

  test.before(async () => {
    app = await bootForTest(PLUGINS, {}, { dialect });
  });
  test.after(() => app.stop());
  test.before.each(async () => {
    for (const { remove } of KINDS) await app.call(remove, [app.superToken, []]);
  });

  const call = (method: string, ...params: unknown[]) =>
    app.call(method, [app.superToken, ...params]);
  const last = (method: string, uuid: string, fields: readonly string[]) =>
    call(method, { fields, condition: [{ uuid }, 'last'] });

  for (const [name, uuid, accepted] of spellings) {
    test(`a UUID ${name} is ${accepted ? 'the same agent' : 'refused'}`, async () => {
      if (!accepted) {
        const { code } = await failure(
          call('agent_report_dynamic_summary', summaryReport({ uuid })),
        );
        assert.is(code, INVALID_PARAMS);
        return;
      }
      await call('agent_report_dynamic_summary', summaryReport({ uuid, cpu_usage: 10 }));
      const expected = [{ uuid: A, timestamp: 1781000001000, cpu_usage: 1 }];
      assert.equal(await last('agent_query_dynamic_summary', uuid, ['cpu_usage']), expected);
      const newest = await call('agent_dynamic_summary_multi_last_query', [uuid], ['cpu_usage']);
      assert.equal(newest, expected);
      assert.equal(await call('agent-uuid_list_all'), [A]);
    });
  }

  for (const [literal, code] of times) {
    const outcome = code === undefined ? 'comes back as timestamp' : `is ${code}`;
    test(`time ${literal} ${outcome}`, async () => {
      for (const { kind, report, multiLast, query, make } of KINDS) {
        const text = withLiteral(make(A, 1), 'time', literal);
        const answer = await callText(app, report, `["${app.superToken}",${text}]`);
        if (code !== undefined) {
          assert.is(JSON.parse(answer).error?.code, code, kind);
          continue;
        }
        assert.match(answer, 'buffered');
        const asked = `{"fields":[],"condition":[{"uuid":"${A}"}]}`;
        const rows = await callText(app, query, `["${app.superToken}",${asked}]`);
        const newest = await callText(app, multiLast, `["${app.superToken}",["${A}"],[]]`);
        for (const read of [rows, newest]) assert.match(read, `"timestamp":${literal}`, kind);
      }
    });
  }

  test('a refused time registers no agent and stores nothing', async () => {
    const uuid = '77777777-7a35-4d0e-9c1b-52d3a8e0f411';
    const text = withLiteral(summaryReport({ uuid }), 'time', '9223372036854775808');
    await callText(app, 'agent_report_dynamic_summary', `["${app.superToken}",${text}]`);
    assert.not((await call('agent-uuid_list_all')).includes(uuid));
  });

  for (const [name, literal, accepted] of texts) {
    test(`${name} in a text is ${accepted === true ? 'stored as sent' : accepted}`, async () => {
      const cases = [
        ['agent_report_static', staticReport(), 'system.arch', 'agent_query_static', 'system'],
        ['agent_report_dynamic', dynamicReport(), 'disk.0.name', 'agent_query_dynamic', 'disk'],
      ] as const;
      for (const [report, make, path, query, field] of cases) {
        const text = withLiteral(make, path, literal);
        const answer = JSON.parse(await callText(app, report, `["${app.superToken}",${text}]`));
        const rows = await last(query, A, [field]);
        if (accepted === true) {
          assert.is(answer.result?.status, 'buffered');
          const part = rows[0][field];
          assert.is((part.arch ?? part[0].name) as string, JSON.parse(literal));
        } else {
          assert.is(answer.error?.code, accepted);
          assert.equal(rows, []);
        }
      }
    });
  }

  test('unknown members are ignored at every level and not stored', async () => {
    for (const { kind, report, query, multiLast, fields, make } of KINDS) {
      const clean = make(A, 5);
      assert.is((await call(report, polluted(clean))).status, 'buffered');
      const [row] = await last(query, A, fields);
      const [newest] = await call(multiLast, [A], fields);
      const { data_hash, uuid, time, ...parts } = clean;
      if (kind === 'summary') {
        assert.equal(Object.keys(row).sort(), ['timestamp', 'uuid', ...fields].sort());
      } else {
        assert.equal(row, { uuid, timestamp: time, ...parts });
      }
      assert.equal(newest, row);
    }
  });

  test('a disk tells what is used where it was reported, beside unknown members, too', async () => {
    const report = dynamicReport();
    const [first] = report.disk;
    const disk = [
      { ...first, mount_point: '/told', used_space: 21_345_591_296 },
      { ...first, mount_point: '/null', used_space: null },
      { ...first, mount_point: '/absent' },
    ];
    const sent = disk.map((one) => ({ ...one, unknown: 1 }));
    for (const [index, list] of [disk, sent].entries()) {
      const time = report.time + index;
      await call('agent_report_dynamic', { ...report, time, disk: list });
      const [row] = await last('agent_query_dynamic', A, ['disk']);
      assert.is(row.timestamp, time);
      assert.equal(row.disk, disk);
    }
  });

  test('members may come in any order, arrays may be empty', async () => {
    const reversed = Object.fromEntries(Object.entries(dynamicReport()).reverse());
    assert.is((await call('agent_report_dynamic', reversed)).status, 'buffered');
    const bare = dynamicReport({
      time: 1781000002000,
      cpu: { per_core: [], total_cpu_usage: 0 },
      disk: [],
      network: { interfaces: [], udp_connections: 0, tcp_connections: 0 },
      gpu: [],
    });
    await call('agent_report_dynamic', bare);
    const fields = ['cpu', 'disk', 'network', 'gpu'];
    const [{ cpu, disk, network, gpu }] = await last('agent_query_dynamic', A, fields);
    assert.equal(
      { cpu, disk, network, gpu },
      {
        cpu: bare.cpu,
        disk: [],
        network: bare.network,
        gpu: [],
      },
    );
  });

  test('values that make no sense are stored as sent', async () => {
    const odd = dynamicReport({ time: 1 });
    odd.cpu.total_cpu_usage = 250;
    odd.ram.used_memory = odd.ram.total_memory + 1;
    odd.cpu.per_core.push(odd.cpu.per_core[0]);
    await call('agent_report_dynamic', odd);
    const [row] = await last('agent_query_dynamic', A, ['cpu', 'ram']);
    assert.equal([row.timestamp, row.cpu, row.ram], [1, odd.cpu, odd.ram]);
  });

  test('the same dynamic report twice is stored twice', async () => {
    for (const { kind, report, query, make } of KINDS) {
      if (kind === 'static') continue;
      await call(report, make(A, 7));
      await call(report, make(A, 7));
      const rows = await call(query, { fields: [], condition: [{ uuid: A }] });
      assert.is(rows.length, 2);
    }
  });

  test('the three kinds are independent', async () => {
    for (const { report, make, kind } of KINDS) {
      await call(report, make(A, 3));
      for (const other of KINDS) {
        const rows = await call(other.query, { fields: [], condition: [{ uuid: A }] });
        const newest = await call(other.multiLast, [A], []);
        const expected = other.kind === kind ? 1 : 0;
        assert.equal([rows.length, newest.length], [expected, expected], `${kind} ${other.kind}`);
      }
      await call(KINDS.find((one) => one.kind === kind)!.remove, []);
    }
  });

  for (const [reported, returned] of scaling) {
    test(`scaled fields: ${reported} comes back as ${returned}, gpu_usage as it was`, async () => {
      const fields = ['cpu_usage', 'load_one', 'load_five', 'load_fifteen', 'gpu_usage'];
      const values = Object.fromEntries(fields.map((name) => [name, reported]));
      await call('agent_report_dynamic_summary', summaryReport({ time: 1, ...values }));
      const expected = {
        ...Object.fromEntries(fields.map((name) => [name, returned])),
        gpu_usage: reported,
      };
      const answers = [
        await last('agent_query_dynamic_summary', A, fields),
        await last('agent_query_dynamic_summary', A, []),
        await call('agent_dynamic_summary_multi_last_query', [A], fields),
        await call('agent_dynamic_summary_multi_last_query', [A], []),
      ];
      for (const [row] of answers) {
        assert.equal(Object.fromEntries(fields.map((name) => [name, row[name]])), expected);
      }
    });
  }

  test('every answer writes summaries in the same characters: an integral number without a fraction', async () => {
    const fields = ['cpu_usage', 'load_one', 'load_five', 'used_memory'];
    const numbers = { load_one: 0, load_five: -40, used_memory: '9223372036854775807' };
    const report = JSON.stringify(summaryReport({ cpu_usage: 1000, ...numbers }));
    const exact = report.replace(/"(\d{19})"/, '$1');
    await callText(app, 'agent_report_dynamic_summary', `["${app.superToken}",${exact}]`);
    const members = `"cpu_usage":100,"used_memory":9223372036854775807,"load_one":0,"load_five":-4`;
    const row = `{"uuid":"${A}","timestamp":1781000001000,${members}}`;
    const wanted = JSON.stringify(fields);
    const conditions = [`[{"uuid":"${A}"},"last"]`, `[{"uuid":"${A}"}]`, '[]', '[{"limit":20}]'];
    for (const condition of conditions) {
      const params = `["${app.superToken}",{"fields":${wanted},"condition":${condition}}]`;
      const text = await callText(app, 'agent_query_dynamic_summary', params);
      assert.is(text, `{"jsonrpc":"2.0","id":1,"result":[${row}]}`, condition);
    }
    const params = `["${app.superToken}",["${A}"],${wanted}]`;
    const text = await callText(app, 'agent_dynamic_summary_multi_last_query', params);
    assert.is(text, `{"jsonrpc":"2.0","id":1,"result":[${row}]}`);
    const socket = await app.connect();
    const texts: string[] = [];
    socket.raw.on('message', (data: Buffer) => texts.push(String(data)));
    await socket.call('agent_subscribe', { token: app.superToken, agents: [A], fields });
    await until('the item', () => texts.some((one) => one.includes(row)));
    socket.close();
  });

  test('the example of the chapter: absent and null are null in both paths', async () => {
    await call('agent_report_dynamic_summary', summaryReport());
    const expected = {
      ...Object.fromEntries(KINDS[2].fields.map((name) => [name, null])),
      uuid: A,
      timestamp: 1781000001000,
      cpu_usage: 17.2,
      used_memory: 1073741824,
      total_memory: 4294967296,
      load_one: 0.3,
      load_five: 0.2,
      load_fifteen: 0.1,
      uptime: 100001,
    };
    assert.equal(await last('agent_query_dynamic_summary', A, []), [expected]);
    const newest = await call('agent_dynamic_summary_multi_last_query', [A], []);
    assert.equal(newest, [expected]);
  });

  test('storage_time is the time of the server', async () => {
    const before = Date.now();
    for (const { report, make } of KINDS) await call(report, make(A, 1));
    const after = Date.now();
    for (const { table } of KINDS) {
      const [row] = await app.sql(`select storage_time from ${table}`);
      const time = Number(row.storage_time);
      assert.ok(time >= before && time <= after, `${table} ${time}`);
    }
  });

  test.run();
}
