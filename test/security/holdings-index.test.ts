// What an owner holds is counted and summed from an index: long texts cost a write nothing, and neither do many tokens.
import type { QueryBuilder, SqlValue } from '@svc/plugin-sdk/sql';
import { bootForTest, type TestApp } from '@svc/plugin-sdk/testing';
import * as assert from 'uvu/assert';
import { jobsHeld } from '../../plugins/crontab/src/held.ts';
import { workersHeld } from '../../plugins/js-worker/src/held.ts';
import { registerTokens } from '../../plugins/token/src/holdings/index.ts';
import { HoldingStore } from '../../plugins/token/src/holdings/store.ts';
import { suite } from '../runner/suite.ts';

const OWNERS = ['owner-a', 'owner-b'];
const ROWS = 3_000;
const LONG = `{"text":"${'é'.repeat(900)}"}`;
const LONG_BYTES = Buffer.byteLength(LONG);

const registered: string[] = [];
const registry = { register: ({ rows }: { rows: string }) => registered.push(rows) };
registerTokens(registry as any, { max_children: 1, max_child_bytes: 1 });

/** A kind, how rows of it come into its table, and how much one of them counts. */
const kinds = [
  {
    kind: 'jobs',
    table: 'crontab',
    rows: jobsHeld({} as any).rows,
    insert: `insert into crontab (name, cron_expression, cron_type, owner) select 'n' || i, '* * * * * *', cast(? as json), ? || 'a' from n`,
    bytes: LONG_BYTES + 11,
  },
  {
    kind: 'workers',
    table: 'js_worker',
    rows: workersHeld({} as any).rows,
    insert: `insert into js_worker (name, js_script, owner, description, create_at, update_at) select 'n' || i, ?, ? || 'a', 'four', 0, 0 from n`,
    bytes: LONG_BYTES + 4,
  },
  {
    kind: 'tokens',
    table: 'token',
    rows: registered[0] as string,
    insert: `insert into token (token_key, token_hash, token_limit, parent) select 'n' || i, 'x', cast(? as jsonb), ? || 'a' from n`,
    bytes: LONG_BYTES,
  },
] as const;

for (const dialect of ['sqlite', 'postgres'] as const) {
  const test = suite(`holdings of owners: indexes (${dialect})`);
  let app: TestApp;
  test.before(async () => {
    const plugins = ['token', 'kv', 'agent-uuid', 'task', 'crontab', 'js-worker'];
    app = await bootForTest(plugins, {}, { dialect });
  });
  test.after(() => app.stop());

  const sql = (text: string, params: SqlValue[]): Promise<any[]> => {
    let count = 0;
    return app.sql(dialect === 'sqlite' ? text : text.replace(/\?/g, () => `$${++count}`), params);
  };
  /** Steps in which the database answers each statement of what is counted, and the first row of each answer. */
  const asked = async (count: (store: HoldingStore, on: QueryBuilder) => Promise<unknown>) => {
    const plans: string[] = [];
    const raw = async (text: string, params: SqlValue[]) => {
      plans.push(await planOf(text, params));
      const rows = await sql(text, params);
      return dialect === 'postgres' ? { rows } : rows;
    };
    const counted = await count(new HoldingStore({} as any), { raw } as unknown as QueryBuilder);
    return { counted, plans };
  };
  const planOf = async (text: string, params: SqlValue[]) => {
    if (dialect === 'postgres') {
      const rows = await sql(`explain (costs off) ${text}`, params);
      return rows.map((row) => row['QUERY PLAN']).join('\n');
    }
    return opcodes(await sql(`explain ${text}`, params));
  };
  const readsNoRow = (plan: string) => {
    if (dialect === 'postgres') assert.match(plan, /Index Only Scan using/);
    else assert.match(plan, /^reads indexes only$/);
  };

  for (const { kind, table, rows, insert, bytes } of kinds)
    test(`${kind} of an owner are counted and summed without reading one`, async () => {
      const numbers = `with recursive n (i) as (select 1 union all select i + 1 from n where i < ${ROWS})`;
      const text = dialect === 'sqlite' ? insert.replace(/cast\(\? as jsonb?\)/, '?') : insert;
      const [head, body] = text.split(' select ') as [string, string];
      await sql(`${head} ${numbers} select ${body}`, [LONG, 'owner-']);
      if (dialect === 'postgres') await app.sql(`vacuum analyze ${table}`);
      const { counted, plans } = await asked((store, on) => store.sumOfFamily(on, rows, OWNERS));
      // Postgres writes its documents with a space after each colon.
      const each = dialect === 'postgres' && table === 'token' ? bytes + 1 : bytes;
      // n1, n2, …: names of jobs count, too.
      const names =
        table === 'crontab' ? [...Array(ROWS).keys()].map((i) => `n${i + 1}`).join('') : '';
      assert.equal(counted, { rows: ROWS, bytes: ROWS * each + names.length });
      assert.is(plans.length, 1);
      for (const plan of plans) readsNoRow(plan);
    });

  test('the tokens that a token created are found without reading one', async () => {
    const { counted, plans } = await asked((store, on) => store.family(on, 'owner-a'));
    assert.is((counted as string[]).length, ROWS + 1);
    for (const plan of plans.slice(1)) readsNoRow(plan);
  });

  test.run();
}

/** What a program of SQLite reads: a column of a cursor that is no index is one of the row itself. */
function opcodes(program: { opcode: string; p1: number; p4: string | null }[]): string {
  const tables = program
    .filter(({ opcode, p4 }) => opcode === 'OpenRead' && !String(p4).startsWith('k('))
    .map(({ p1 }) => p1);
  const read = program.filter(({ opcode, p1 }) => opcode === 'Column' && tables.includes(p1));
  return read.length === 0 ? 'reads indexes only' : `reads ${read.length} columns of rows`;
}
