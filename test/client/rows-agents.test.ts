// proof only: 40
/** Reports of which one answer holds a part: `rows` of `@svc/client`, and `svc call`, ask on. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough, Writable } from 'node:stream';
import { createClient } from '@svc/client';
import { bootForTest, type TestApp } from '@svc/plugin-sdk/testing';
import * as assert from 'uvu/assert';
import { main } from '../../cli/src/main.ts';
import { A, B, C, dynamicReport, staticReport, summaryReport } from '../protocol/agent-kit.ts';
import { suite } from '../runner/suite.ts';
import { failureOf } from './kit.ts';

const ROWS = 25_000;
const START = 1_781_000_000_000;
const PART = 1_000;
/** Three rows for each ms, so that times are equal at the ends of answers: 10,000 is no multiple of three. */
const timeOf = (at: number) => START + Math.floor(at / 3);
const range = { from: START, to: timeOf(ROWS) };
const all = Array.from({ length: ROWS }, (_, at) => at);

for (const dialect of ['sqlite', 'postgres'] as const) {
  const test = suite(`client: rows of agents (${dialect})`);
  let app: TestApp;
  let dir = '';

  test.before(async () => {
    app = await bootForTest(['token', 'server-info', 'agent-uuid', 'agent'], {}, { dialect });
    dir = mkdtempSync(join(tmpdir(), 'svc-rows-'));
    await report('agent_report_dynamic_summary', ROWS, (at) =>
      summaryReport({ uuid: A, time: timeOf(at), uptime: at }),
    );
    assert.is((await svc(['login', app.url], app.superToken)).code, 0);
  });
  test.after(async () => {
    await app.stop();
    rmSync(dir, { recursive: true, force: true });
  });

  /** Sends reports in arrays, and looks at each answer. */
  async function report(method: string, count: number, make: (at: number) => object) {
    for (let from = 0; from < count; from += PART) {
      const length = Math.min(PART, count - from);
      const answers = (await app.rpc(
        Array.from({ length }, (_, at) => ({
          jsonrpc: '2.0',
          id: at,
          method,
          params: [app.superToken, make(from + at)],
        })),
      )) as any[];
      const stored = answers.filter(({ result }) => result?.status === 'buffered');
      assert.is(stored.length, length);
    }
  }

  /** Runs the program in this process. `stdout`: instead of one that takes everything. */
  async function svc(args: string[], input = '', stdout: Writable = new PassThrough()) {
    const parts: Buffer[] = [];
    if (stdout instanceof PassThrough) stdout.on('data', (part) => parts.push(part));
    const stderr = new PassThrough();
    const stdin = new PassThrough();
    stdin.end(input);
    const env = { XDG_CONFIG_HOME: dir };
    const code = await main(args, { stdin, stdout, stderr, env });
    return { code, out: Buffer.concat(parts).toString(), err: String(stderr.read() ?? '') };
  }

  const make = () => createClient(app.url, { token: app.superToken });
  const summaries = (condition: object[], fields: 'uptime'[] = ['uptime']) => ({
    query: { fields, condition: condition as { uuid: string }[] },
  });

  async function uptimesOf(rows: AsyncIterable<any>): Promise<number[]> {
    const found: number[] = [];
    for await (const { uptime } of rows) found.push(uptime);
    return found;
  }

  test('25,000 rows come each once, in their order, with equal times at the ends of answers', async () => {
    const client = make();
    const asked = summaries([{ uuid: A }]);
    const found = await uptimesOf(client.rows('agent_query_dynamic_summary', asked, range));
    assert.equal(found, all);
    client.close();
  });

  test('conditions on times hold beside the range, which may have no ends, and none where it ends before it begins', async () => {
    const client = make();
    const asked = summaries([{ uuid: A }, { timestamp_from: timeOf(12_000) }]);
    const found = await uptimesOf(
      client.rows('agent_query_dynamic_summary', asked, { to: Infinity }),
    );
    assert.equal(found, all.slice(12_000));
    const late = { from: timeOf(ROWS) + 1, to: START };
    assert.equal(await uptimesOf(client.rows('agent_query_dynamic_summary', asked, late)), []);
    client.close();
  });

  test('a row that arrives late at the end of an answer is told, and none twice', async () => {
    const client = make();
    const rows = client.rows('agent_query_dynamic_summary', summaries([{ uuid: B }]));
    const time = (at: number) => START + Math.floor(at / 4);
    await report('agent_report_dynamic_summary', 10_001, (at) =>
      summaryReport({ uuid: B, time: time(at), uptime: at }),
    );
    const first = await rows.next();
    assert.is((first.value as { uptime: number }).uptime, 0);
    // The first answer ends with three of the four rows of this time.
    await report('agent_report_dynamic_summary', 1, () =>
      summaryReport({ uuid: B, time: time(9_999), uptime: 77_777 }),
    );
    const found = await uptimesOf(rows);
    assert.equal(found.slice(-3), [9_999, 77_777, 10_000]);
    assert.is(found.length, 10_001);
    client.close();
  });

  test('10,000 rows of one time end with an error that says so; 9,999 are rows like others', async () => {
    const client = make();
    const time = START + 1;
    const fill = (count: number) =>
      report('agent_report_dynamic', count, (at) => dynamicReport({ uuid: at % 2 ? A : B, time }));
    const asked = { dynamic_data_query: { fields: [], condition: [] } };
    const count = async () => {
      let seen = 0;
      for await (const _row of client.rows('agent_query_dynamic', asked)) seen++;
      return seen;
    };
    await fill(9_999);
    assert.is(await count(), 9_999);
    await fill(2);
    const { message } = await failureOf(count());
    assert.is(
      message,
      `agent_query_dynamic: 10000 rows or more have the timestamp ${time}, of which one answer holds 10000: ask for fewer with one more condition`,
    );
    const printed = await svc([
      'call',
      'agent_query_dynamic',
      'dynamic_data_query={"fields":[],"condition":[]}',
    ]);
    assert.equal([printed.code, printed.err], [1, `svc: ${message}\n`]);
    client.close();
  });

  test('static reports have no pages: fewer than 10,000 come, more are an error that says so', async () => {
    const client = make();
    const fill = (from: number, count: number) =>
      report('agent_report_static', count, (at) =>
        staticReport({
          uuid: C,
          time: START + from + at,
          data_hash: [...Buffer.from(`${from + at}`)],
        }),
      );
    const asked = { static_data_query: { fields: [], condition: [{ uuid: C }] } };
    const count = async () => {
      let seen = 0;
      for await (const _row of client.rows('agent_query_static', asked)) seen++;
      return seen;
    };
    await fill(0, 2_000);
    assert.is(await count(), 2_000);
    await fill(2_000, 8_000);
    assert.match(
      (await failureOf(count())).message,
      /^agent_query_static: 10000 rows or more match/,
    );
    client.close();
  });

  test('limit and last are refused by rows, before anything is asked', async () => {
    const client = make();
    for (const condition of [{ limit: 5 }, { last: null }, 'last'] as any[]) {
      const rows = client.rows('agent_query_dynamic_summary', summaries([condition]));
      assert.match((await failureOf(rows.next())).message, /no limit and no last/);
    }
    client.close();
  });

  for (const [name, flags, shape] of [
    ['indented', [], (rows: object[]) => `${JSON.stringify(rows, null, 2)}\n`],
    ['as one line', ['--json'], (rows: object[]) => `${JSON.stringify(rows)}\n`],
  ] as const) {
    test(`svc call prints all rows, as one array, ${name}`, async () => {
      const query = { fields: ['uptime'], condition: [{ uuid: A }] };
      const asked = (over: object[]) =>
        `query=${JSON.stringify({ ...query, condition: [...query.condition, ...over] })}`;
      const call = ['call', ...flags, 'agent_query_dynamic_summary'];
      const { code, out } = await svc([...call, asked([])]);
      const rows = all.map((uptime) => ({ uuid: A, timestamp: timeOf(uptime), uptime }));
      assert.is(code, 0);
      assert.ok(out === shape(rows), out.slice(0, 200));
      const none = await svc([...call, asked([{ timestamp_to: 5 }])]);
      assert.is(none.out, '[]\n');
      const limited = await svc([...call, asked([{ limit: 2 }])]);
      assert.is(limited.out, shape(rows.slice(-2).reverse()));
    });
  }

  test('svc call holds one row for a reader that is slow, not those that are still to come', async () => {
    let [seen, longest, most] = ['', 0, 0];
    const stdout = new Writable({
      highWaterMark: 1,
      write(part, _encoding, done) {
        seen += part;
        longest = Math.max(longest, part.length);
        most = Math.max(most, stdout.writableLength);
        setImmediate(done);
      },
    });
    const query = JSON.stringify({ fields: ['uptime'], condition: [{ uuid: A }] });
    const call = ['call', '--json', 'agent_query_dynamic_summary', `query=${query}`];
    assert.is((await svc(call, '', stdout)).code, 0);
    assert.is(JSON.parse(seen).length, ROWS);
    // The row, and the end of the array behind it.
    assert.ok(most <= longest + 2, `${most} of ${seen.length}`);
  });

  test.run();
}
