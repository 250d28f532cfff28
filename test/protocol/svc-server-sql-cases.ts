// Tables of svc-server-sql.test.ts.

export type Row = Record<string, unknown>;
export type RowCase = [
  name: string,
  sql: string,
  params: unknown[] | null | undefined,
  rows: Row[],
];
export type CountCase = [
  name: string,
  sql: string,
  rowCount: number,
  rows: number,
  truncated: boolean,
];

export const numbers = (from: number, to: number) =>
  `with recursive n(i) as (select ${from} union all select i + 1 from n where i < ${to}) select i from n`;
export const endless = {
  sqlite: 'with recursive n(i) as (select 1 union all select i + 1 from n) select count(*) from n',
  postgres: 'select pg_sleep(120)',
};

// biome-ignore format: one case per line
export const rowCases: Record<'sqlite' | 'postgres', RowCase[]> = {
  sqlite: [
    ['null is null', 'select null as v', undefined, [{ v: null }]],
    ['text that spells JSON stays a string', `select '{"a":1}' as v`, undefined, [{ v: '{"a":1}' }]],
    ['integers are numbers, negative ones too', 'select 1 as a, -7 as b', undefined, [{ a: 1, b: -7 }]],
    ['a double is a number', 'select 1.5 as v', undefined, [{ v: 1.5 }]],
    ['infinity is null', 'select 9e999 as v', undefined, [{ v: null }]],
    ['bytes that spell JSON are its value', `select x'7b2261223a5b312c325d7d' as v`, undefined, [{ v: { a: [1, 2] } }]],
    ['other bytes are lower-case hex', `select x'00FFAB' as v`, undefined, [{ v: '00ffab' }]],
    ['no bytes are the empty text', `select x'' as v`, undefined, [{ v: '' }]],
    ['a boolean of this database is 0 or 1', 'select true as t, false as f', undefined, [{ t: 1, f: 0 }]],
    ['a doubled column name keeps one value', 'select 2 as a, 2 as a', undefined, [{ a: 2 }]],
    ['parameter null', 'select ? as v, typeof(?) as t', [null, null], [{ v: null, t: 'null' }]],
    ['parameter boolean', 'select ? as v, typeof(?) as t', [true, true], [{ v: 1, t: 'integer' }]],
    ['parameter integer stays an integer', 'select ? as v, typeof(?) as t', [5, 5], [{ v: 5, t: 'integer' }]],
    ['parameter double', 'select ? as v, typeof(?) as t', [2.5, 2.5], [{ v: 2.5, t: 'real' }]],
    ['parameter text', 'select ? as v', ["o'clock"], [{ v: "o'clock" }]],
    ['null for params', 'select 1 as v', null, [{ v: 1 }]],
    ['several statements: their rows are concatenated', 'select 1 as a; select 2 as a, 3 as b;', undefined, [{ a: 1 }, { a: 2, b: 3 }]],
    ['pragma', 'pragma journal_mode', undefined, [{ journal_mode: 'wal' }]],
  ],
  postgres: [
    ['null is null', 'select null as v', undefined, [{ v: null }]],
    ['text that spells JSON stays a string', `select '{"a":1}'::text as v`, undefined, [{ v: '{"a":1}' }]],
    ['int2, int4, int8, negative ones too', 'select 1::int2 as a, -2::int4 as b, -3::int8 as c', undefined, [{ a: 1, b: -2, c: -3 }]],
    ['real and double are numbers', 'select 1.5::float4 as a, -0.25::float8 as b', undefined, [{ a: 1.5, b: -0.25 }]],
    ['NaN and infinity are null', `select 'NaN'::float8 as a, '-Infinity'::float4 as b`, undefined, [{ a: null, b: null }]],
    ['boolean', 'select true as t, false as f', undefined, [{ t: true, f: false }]],
    ['json and jsonb are values', `select '{"a":[1]}'::jsonb as a, '"x"'::json as b, 'null'::jsonb as c`, undefined, [{ a: { a: [1] }, b: 'x', c: null }]],
    ['bytes that spell JSON are its value', `select '\\x7b2261223a317d'::bytea as v`, undefined, [{ v: { a: 1 } }]],
    ['other bytes are lower-case hex', `select '\\x00FFAB'::bytea as v`, undefined, [{ v: '00ffab' }]],
    ['uuid is text', `select 'C01D3A7E-11F2-4B1C-8A55-0F6F2F1A9E20'::uuid as v`, undefined, [{ v: 'c01d3a7e-11f2-4b1c-8a55-0f6f2f1a9e20' }]],
    ['a doubled column name keeps one value', 'select 2 as a, 2 as a', undefined, [{ a: 2 }]],
    ['parameters', 'select $1::int as i, $2::float8 as d, $3::text as t, $4::bool as b, $5::text as n', [5, 2.5, "o'clock", true, null], [{ i: 5, d: 2.5, t: "o'clock", b: true, n: null }]],
    ['parameter array and object are JSON', 'select $1::jsonb as a, $2::jsonb as o', [[1, 'b'], { c: null }], [{ a: [1, 'b'], o: { c: null } }]],
    ['null for params', 'select 1 as v', null, [{ v: 1 }]],
    ['a parameter has the type of its JSON: integer', 'select $1 as v, pg_typeof($1)::text as t', [7], [{ v: 7, t: 'bigint' }]],
    ['a parameter has the type of its JSON: fraction', 'select $1 as v, pg_typeof($1)::text as t', [2.5], [{ v: 2.5, t: 'double precision' }]],
    ['a parameter has the type of its JSON: boolean', 'select $1 as v, pg_typeof($1)::text as t', [false], [{ v: false, t: 'boolean' }]],
    ['a parameter has the type of its JSON: object', 'select $1 as v, pg_typeof($1)::text as t', [{ b: 1, a: [2] }], [{ v: { a: [2], b: 1 }, t: 'jsonb' }]],
    ['a parameter has the type of its JSON: list', `select $1->1 as v, $1 @> '"b"' as t`, [[1, 'b']], [{ v: 'b', t: true }]],
    ['numbers are compared as numbers', 'select greatest($1, $2) as v', [10, 9], [{ v: 10 }]],
    ['numbers are added', 'select $1 + 1 as a, $2 + $1 as b', [1, 0.5], [{ a: 2, b: 1.5 }]],
    ['a text takes the type of its place', `select $1::uuid as u, date '2026-03-02' = $2 as d, $3 as t`, ['c01d3a7e-11f2-4b1c-8a55-0f6f2f1a9e20', '2026-03-02', '7'], [{ u: 'c01d3a7e-11f2-4b1c-8a55-0f6f2f1a9e20', d: true, t: '7' }]],
    ['a number finds its row, whatever integer type the column has', 'select count(*) as n from (values (1::int2, 1::int4, 1::numeric)) as t(a, b, c) where a = $1 and b = $1 and c = $1', [1], [{ n: 1 }]],
    ['null takes the type of its place', 'select $1::int8 as a, coalesce($2, 5) as b', [null, null], [{ a: null, b: 5 }]],
  ],
};

// biome-ignore format: one case per line
export const countCases: CountCase[] = [
  ['empty text', '', 0, 0, false],
  ['a statement without rows', 'create table counted (i int)', 0, 0, false],
  ['inserted rows are counted', 'insert into counted values (1), (2), (3)', 3, 0, false],
  ['updated rows are counted', 'update counted set i = i + 1 where i > 1', 2, 0, false],
  ['returned rows are counted', 'delete from counted where i > 3 returning i', 1, 1, false],
  ['deleted rows are counted', 'delete from counted', 2, 0, false],
  ['a query without rows', 'select i from counted', 0, 0, false],
  ['dropping a table', 'drop table counted', 0, 0, false],
  ['9,999 rows', numbers(1, 9_999), 9_999, 9_999, false],
  ['10,000 rows are the most', numbers(1, 10_000), 10_000, 10_000, false],
  ['10,001 rows are cut', numbers(1, 10_001), 10_001, 10_000, true],
];
