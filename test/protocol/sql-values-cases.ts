// db.md §4.6, "Placeholders" and "Binding of JSON values": the same table for db_exec_sql, svc-server_exec_sql on SQLite and scripts.

/** [what holds, SQL, parameters as JSON text, the rows]; values are compared as JSON gives them. */
export type ValueCase = [name: string, sql: string, params: string, rows: readonly unknown[]];

// biome-ignore format: one case per line
export const placeholderCases: ValueCase[] = [
  ['$N binds by number, in whichever order the numbers stand', 'select $2 as a, $1 as b, $2 as c', '[1,"new"]', [{ a: 'new', b: 1, c: 'new' }]],
  ['?N binds by number', 'select ?2 as a, ?1 as b, ?2 as c', '[1,"new"]', [{ a: 'new', b: 1, c: 'new' }]],
  ['$N and ?N of one number are one value, side by side too', 'select $2 as a, ?1 as b, ?2 as c, $1 as d', '[1,2]', [{ a: 2, b: 1, c: 2, d: 1 }]],
  ['a ? takes the next value', 'select ? as a, ? as b', '[1,2]', [{ a: 1, b: 2 }]],
  ['a ? after ?N takes the one after the highest', 'select ?2 as a, ?1 as b, ? as c, ? as d', '[1,2,3,4]', [{ a: 2, b: 1, c: 3, d: 4 }]],
  ['a ? after $N takes the one after the highest', 'select $2 as a, ? as b', '[1,2,3]', [{ a: 2, b: 3 }]],
  ['?N after a ? is that value again', 'select ? as a, ?1 as b, $1 as c', '[7]', [{ a: 7, b: 7, c: 7 }]],
  ['several statements share one list: ? goes on', 'select ? as a; select ? as b, ? as c', '[1,2,3]', [{ a: 1 }, { b: 2, c: 3 }]],
  ['several statements share one list: numbers stay', 'select $2 as a; select ?1 as b, $2 as c', '[1,2]', [{ a: 2 }, { b: 1, c: 2 }]],
  ['several statements share one list: ? after a number', 'select $2 as a; select ? as b, ?1 as c', '[1,2,3]', [{ a: 2 }, { b: 3, c: 1 }]],
  ['missing values are NULL', 'select ? as a, $2 as b, ?7 as c, ? as d', '[1]', [{ a: 1, b: null, c: null, d: null }]],
  ['without a list every value is missing', 'select ? as a, $2 as b', 'null', [{ a: null, b: null }]],
  ['surplus values are ignored', 'select $1 as a', '[1,2,3]', [{ a: 1 }]],
  ['an unnamed column keeps the name that was written', 'select $1, ?2, ?', '[5,6,7]', [{ $1: 5, '?2': 6, '?': 7 }]],
  ['a placeholder in a text, a name or a comment is none', `select '$9 ?' as a, 1 as "$8", /* ?7 */ $1 as b -- ?`, '[1]', [{ a: '$9 ?', $8: 1, b: 1 }]],
  ['leading zeros do not count', 'select $01 as a, ?02 as b', '[1,2]', [{ a: 1, b: 2 }]],
  ['a write finds its row', 'create temp table t (id, v); insert into t values (1, ?3), (2, $4); update t set v = $2 where id = $1; select id, v from t', '[1,"new","old","other"]', [{ id: 1, v: 'new' }, { id: 2, v: 'other' }]],
];

// biome-ignore format: one case per line
export const bindingCases: ValueCase[] = [
  ['null is NULL', 'select typeof(?) as t', '[null]', [{ t: 'null' }]],
  ['a boolean is an integer', 'select $1 as v, typeof($1) as t', '[true]', [{ v: 1, t: 'integer' }]],
  ['an integer divides as an integer', 'select ?/2 as v', '[5]', [{ v: 2 }]],
  ['a number with a fraction divides as a real, 5.0 too', 'select ?/2 as v, typeof(?1) as t', '[5.0]', [{ v: 2.5, t: 'real' }]],
  ['a number with an exponent is a real', 'select $1/8 as v', '[1e1]', [{ v: 1.25 }]],
  ['an integer beyond unsigned 64 bit is a real', 'select typeof(?) as t', '[18446744073709551616]', [{ t: 'real' }]],
  ['the least and the greatest integer keep their type', 'select typeof(?) as a, typeof(?) as b', '[-9223372036854775808,9223372036854775807]', [{ a: 'integer', b: 'integer' }]],
  ['text is text', 'select typeof(?) as t, ?1 as v', '["12"]', [{ t: 'text', v: '12' }]],
  ['an object is text, its members sorted by name', 'select ? as v, typeof(?1) as t', '[{"a":2,"b":1,"10":[{"z":1,"y":2.0}]}]', [{ v: '{"10":[{"y":2.0,"z":1}],"a":2,"b":1}', t: 'text' }]],
  ['an object sent in another order is the same text', 'select ? as v', '[{"b":1,"a":2}]', [{ v: '{"a":2,"b":1}' }]],
  ['many values and long ones keep their places', 'select ?1 as a, ?19999 as b, ?20000 as c, length(?20001) as d, substr(?20001, -2) as e, ?20002 as f, length(?20003) as g, ?20004 as h', `[${'"ab" , '.repeat(19_999)}{"b":1,"a":2.0} , "${'\\n\\ud83d\\ude00'.repeat(60_000)}" ,7, "${'é\u{1f600}'.repeat(200_000)}" , [${'[1],'.repeat(20_000)}1]]`, [{ a: 'ab', b: 'ab', c: '{"a":2.0,"b":1}', d: 120_000, e: '\n\u{1f600}', f: 7, g: 400_000, h: `[${'[1],'.repeat(20_000)}1]` }]],
  ['a list is text', 'select ? as v', '[[1, "b", null]]', [{ v: '[1,"b",null]' }]],
];

/** [what is refused, SQL, parameters as JSON text, code, message]. */
export type RefusedCase = [
  name: string,
  sql: string,
  params: string,
  code: number,
  message: RegExp,
];

// biome-ignore format: one case per line
export const refusedCases: RefusedCase[] = [
  ['a placeholder with a name (:a)', 'select :a', '[1]', 999, /unsupported placeholder :a/],
  ['a placeholder with a name (@a)', 'select @a', '[1]', 999, /unsupported placeholder @a/],
  ['a placeholder with a name ($abc)', 'select $abc', '[1]', 999, /unsupported placeholder \$abc/],
  ['a placeholder with a name, behind another statement', 'select 1; select $abc', '[1]', 999, /unsupported placeholder/],
  ['the placeholder $0', 'select $0', '[1]', 999, /unsupported placeholder/],
  ['the placeholder ?0', 'select ?0', '[1]', 999, /unsupported placeholder/],
  ['a placeholder beyond the engine', 'select ?99999', '[1]', 999, /variable number/],
  ['an integer of 2^63', 'select ?', '[9223372036854775808]', 108, /^Invalid input: the integer 9223372036854775808 does not fit signed 64 bit$/],
  ['an integer of 2^64-1', 'select ?', '[18446744073709551615]', 108, /signed 64 bit/],
  ['more values than any statement takes', 'select ?', `[${'{},'.repeat(100_000)}1]`, 108, /at most 65535 params/],
  ['a document of many values', 'select ?', `["${'x'.repeat(100_000)}",[${'{},'.repeat(100_000)}1]]`, 108, /at most 50000 values in one document; send a larger one as a string/],
  ['a number that no double holds', 'select ?', '[1e400]', -32602, /Invalid params/],
];

// biome-ignore format: one case per line
export const textCases: ValueCase[] = [
  ['TEXT that is not UTF-8 is a BLOB', `select cast(x'ff61' as text) as v`, 'null', [{ v: 'ff61' }]],
  ['beside other columns and rows, in order', `select 1 as n, 'a' as v union all select 2, cast(x'c3' as text) union all select 3, 'ä\ufffd' order by n desc`, 'null', [{ n: 3, v: 'ä\ufffd' }, { n: 2, v: 'c3' }, { n: 1, v: 'a' }]],
  ['with a list of values', `select cast(? as text) as a, cast($2 || x'ff' as text) as b, cast(x'80' as text)`, '["x","y"]', [{ a: 'x', b: '79ff', "cast(x'80' as text)": '80' }]],
  ['behind WITH, VALUES and a comment', `with t(v) as (values (cast(x'ff' as text))) select v from t -- end\n; values (cast(x'fe' as text)) /* open`, 'null', [{ v: 'ff' }, { column1: 'fe' }]],
  ['half of a surrogate pair is not UTF-8', `select cast(x'eda080' as text) as v`, 'null', [{ v: 'eda080' }]],
  ['U+FFFD itself stays text', `select 'a' || char(65533) as v, cast(x'efbfbd' as text) as w`, 'null', [{ v: 'a\ufffd', w: '\ufffd' }]],
];
