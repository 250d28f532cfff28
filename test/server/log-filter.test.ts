/** The two filter grammars: configured sinks (configuration.md §5) and stream subscribers (svc-server.md §10). */
import fc from 'fast-check';
import * as assert from 'uvu/assert';
import {
  type Filter,
  parseFilter,
  parseStreamFilter,
  shownTarget,
} from '../../server/src/log/filter.ts';
import { suite } from '../runner/suite.ts';

const test = suite('log filters');

/** Levels from none to all; a filter's threshold is one of these positions. */
const LEVELS = ['off', 'error', 'warn', 'info', 'debug', 'trace'] as const;
const levelOf = (filter: Filter, target: string) => LEVELS[filter.threshold(target)];

/** [filter, what each target gets, invalid directives] */
type Row = [filter: string, levels: { [target: string]: string }, invalid?: string[]];

const configured: Row[] = [
  ['', { server: 'error', db: 'error' }],
  [' , ,', { server: 'error' }],
  ['info', { server: 'info', rpc: 'info', db: 'info' }],
  ['INFO', { server: 'info' }],
  ['Warn', { server: 'warn' }],
  ['off', { server: 'off', db: 'off' }],
  ['error', { server: 'error' }],
  ['debug', { server: 'debug' }],
  ['trace', { server: 'trace' }],
  ['info,debug', { server: 'debug' }],
  ['debug,info', { server: 'info' }],
  ['warn,rpc=debug', { server: 'warn', rpc: 'debug' }],
  ['rpc=debug,warn', { server: 'warn', rpc: 'debug' }],
  ['rpc=debug', { server: 'off', rpc: 'debug' }],
  ['rpc', { server: 'off', rpc: 'trace' }],
  ['info,rpc', { server: 'info', rpc: 'trace' }],
  ['static=info', { static: 'info', static_bucket: 'info', server: 'off' }],
  ['static=info,static_bucket=warn', { static_bucket_file: 'warn', static_hash_cache: 'info' }],
  ['static_bucket=warn,static=info', { static_bucket_file: 'warn', static_hash_cache: 'info' }],
  ['kv=info,kv=debug', { kv: 'debug' }],
  ['kv=debug,kv=info', { kv: 'info' }],
  ['info,kv=off', { kv: 'off', server: 'info' }],
  [' info , kv = DEBUG ', { kv: 'debug', server: 'info' }],
  [
    'info,db=warn',
    { db: 'warn', knex: 'warn', 'pg:query': 'warn', migrations: 'warn', kv: 'info' },
  ],
  ['info,db=warn,knex=debug', { db: 'warn', knex: 'debug', sqlite: 'warn' }],
  ['db', { db: 'trace', 'better-sqlite3': 'trace', server: 'off' }],
  ['info', { knex: 'info', pgx: 'info' }],
  ['db=warn', { pgx: 'off', migrationist: 'off' }],
  ['info,rpc=loud', { rpc: 'info' }, ['rpc=loud']],
  ['rpc=loud', { rpc: 'error', server: 'error' }, ['rpc=loud']],
  ['info,=debug', { server: 'info' }, ['=debug']],
  ['info,a=b=debug', { a: 'info' }, ['a=b=debug']],
  ['info,rpc=', { rpc: 'info' }, ['rpc=']],
  ['info,two words', { two: 'info' }, ['two words']],
  ['info,two words=debug', { two: 'info' }, ['two words=debug']],
  ['info,[span]', { server: 'info' }, ['[span]']],
  ['3', { server: 'error' }, ['3']],
];

for (const [text, levels, invalid = []] of configured) {
  test(`configured filter "${text}"`, () => {
    const complaints: string[] = [];
    const filter = parseFilter(text, (directive) => complaints.push(directive));
    const found = Object.fromEntries(
      Object.keys(levels).map((name) => [name, levelOf(filter, name)]),
    );
    assert.equal(found, levels);
    assert.equal(complaints, invalid);
  });
}

const streamed: Row[] = [
  ['', { server: 'off', db: 'off' }],
  ['info', { server: 'info', db: 'info' }],
  ['TRACE', { server: 'trace' }],
  ['debug,warn', { server: 'warn' }],
  ['off', { server: 'off' }],
  ['rpc=debug', { rpc: 'debug', server: 'off' }],
  [' rpc = debug , , error ', { rpc: 'debug', server: 'error' }],
  ['static=info,static_bucket=warn', { static: 'info', static_bucket_file: 'warn' }],
  ['kv=info,kv=debug', { kv: 'debug' }],
  ['db=debug', { db: 'debug', knex: 'debug', migrations: 'debug', server: 'off' }],
  ['warn,db=off', { db: 'off', pg: 'off', server: 'warn' }],
  // What cannot be parsed is ignored, a target alone included: its grammar has no such form.
  ['rpc', { rpc: 'off' }],
  ['nonsense!', { server: 'off' }],
  ['rpc=loud,info', { rpc: 'info' }],
  ['rpc=debug=info', { rpc: 'off' }],
  ['=debug', { server: 'off' }],
];

for (const [text, levels] of streamed) {
  test(`stream filter "${text}"`, () => {
    const filter = parseStreamFilter(text);
    const found = Object.fromEntries(
      Object.keys(levels).map((name) => [name, levelOf(filter, name)]),
    );
    assert.equal(found, levels);
  });
}

test('records of the database driver and of migrations are shown as db', () => {
  const shown = [
    'knex',
    'knex:client',
    'pg',
    'sqlite',
    'better-sqlite3',
    'migrations',
    'migration',
  ];
  for (const target of shown) assert.is(shownTarget(target), 'db', target);
  for (const target of ['server', 'kv', 'pgx', 'db', 'sqliteful']) {
    assert.is(shownTarget(target), target);
  }
});

const target = fc
  .stringMatching(/^[a-z][a-z_]{0,8}$/)
  .filter((name) => !LEVELS.some((l) => l === name));
const level = fc.constantFrom(...LEVELS);
const directive = fc.oneof(
  level.map((word) => ({ target: '', level: word })),
  fc.record({ target, level }),
);
const directiveText = (d: { target: string; level: string }) =>
  d.target === '' ? d.level : `${d.target}=${d.level}`;

test('both grammars agree with the rule "longest beginning wins, later wins, else the last bare level, else off"', () => {
  fc.assert(
    fc.property(fc.array(directive, { minLength: 1, maxLength: 8 }), target, (directives, name) => {
      let best = { length: -1, level: 'off' as string };
      for (const d of directives) {
        if (name.startsWith(d.target) && d.target.length >= best.length) {
          best = { length: d.target.length, level: d.level };
        }
      }
      const text = directives.map(directiveText).join(',');
      const unexpected = (part: string) => assert.unreachable(`${part} is valid`);
      // Driver targets have a rule of their own, tested above.
      fc.pre(shownTarget(name) === name);
      assert.is(levelOf(parseFilter(text, unexpected), name), best.level);
      assert.is(levelOf(parseStreamFilter(text), name), best.level);
    }),
  );
});

test('any text is a filter: nothing throws, and only a stream filter stays silent', () => {
  fc.assert(
    fc.property(fc.string(), target, (text, name) => {
      const complaints: string[] = [];
      const configuredFilter = parseFilter(text, (part) => complaints.push(part));
      const parts = text.split(',').filter((part) => part.trim() !== '');
      assert.ok(complaints.length <= parts.length);
      if (complaints.length === parts.length) assert.is(levelOf(configuredFilter, name), 'error');
      assert.ok(LEVELS.includes(levelOf(parseStreamFilter(text), name)!));
    }),
  );
});

test.run();
