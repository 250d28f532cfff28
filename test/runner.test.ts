// The runner itself, on small files of its own.
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import * as assert from 'uvu/assert';
import { suite } from './runner/suite.ts';

const test = suite('the test runner');
const runner = resolve('test/run.ts');
const SUITE = JSON.stringify(resolve('test/runner/suite.ts'));
const HEAD = `import { suite } from ${SUITE};\nconst test = suite('a suite');\n`;
let dir: string;

test.before.each(() => {
  dir = mkdtempSync(join(tmpdir(), 'svc-runner-'));
  mkdirSync(join(dir, 'test'));
});
test.after.each(() => rmSync(dir, { recursive: true, force: true }));

/** Runs the files, whose bodies follow `HEAD`, in a folder of their own. */
function run(files: Record<string, string>, ...args: string[]) {
  for (const [name, body] of Object.entries(files))
    writeFileSync(join(dir, 'test', `${name}.test.ts`), HEAD + body);
  const { SVC_TEST_FAST, SVC_TEST_PROOF, SVC_TEST_POSTGRES_URL, ...env } = process.env;
  const { stdout, status } = spawnSync(process.execPath, [runner, ...args], {
    cwd: dir,
    env: { ...env, NODE_COMPILE_CACHE: join(dir, 'compiled') },
    encoding: 'utf8',
  });
  const lines = stdout.trimEnd().split('\n');
  return { stdout, status, tally: lines.at(-1), index: (text: string) => stdout.indexOf(text) };
}

const PASSES = `test('passes', () => {});\ntest.run();\n`;

for (const [name, body, tally, told] of [
  [
    'a test that throws has failed',
    `test('x', () => { throw new Error('why') }); test.run();`,
    '0 passed, 1 failed',
    'why',
  ],
  [
    'what `before` throws fails every test',
    `test.before(() => { throw new Error('why') }); test('x', () => {}); test('y', () => {}); test.run();`,
    '0 passed, 2 failed',
    '"(before)"',
  ],
  [
    'what `after` throws is a failure',
    `test.after(() => { throw new Error('why') }); test('x', () => {}); test.run();`,
    '1 passed, 1 failed',
    '"(after)"',
  ],
  [
    'what `before.each` throws fails the test',
    `test.before.each(() => { throw new Error('why') }); test('x', () => {}); test.run();`,
    '0 passed, 1 failed',
    'why',
  ],
  [
    'what `after.each` throws fails the test',
    `test.after.each(() => { throw new Error('why') }); test('x', () => {}); test.run();`,
    '0 passed, 1 failed',
    'why',
  ],
  [
    '`after.each` follows a test that failed',
    `test.after.each(() => console.log('tidied')); test('x', () => { throw new Error('why') }); test.run();`,
    '0 passed, 1 failed',
    'tidied',
  ],
  [
    'a suite without its `.run()` fails the file',
    `test('x', () => {});`,
    '0 passed, 1 failed',
    "forgotten .run() of 'a suite'",
  ],
  [
    'a forgotten `.run()` fails the file beside another suite',
    `${PASSES}const other = suite('other'); other('x', () => {});`,
    '0 passed, 1 failed',
    "forgotten .run() of 'other'",
  ],
  ['a file without tests fails', `test.run();`, '0 passed, 1 failed', 'registered no test'],
  [
    'an error that escapes fails the file',
    `test('x', async () => { Promise.reject(new Error('why')); await new Promise((done) => setTimeout(done)); }); test.run();`,
    '1 passed, 1 failed',
    'unhandled rejection',
  ],
  [
    '`only` skips the others',
    `test('x', () => {}); test.only('y', () => {}); test.run();`,
    '1 passed, 0 failed, 1 skipped',
    '',
  ],
  ['`skip` counts', `${PASSES}test.skip('y'); test.run();`, '1 passed, 0 failed, 1 skipped', ''],
] as const)
  test(name, () => {
    const result = run({ one: body });
    assert.is(result.tally, tally);
    assert.is(result.status, tally.includes(' 0 failed') ? 0 : 1);
    assert.ok(result.stdout.includes(told), result.stdout);
  });

/** Fails the first time that any process runs it. */
const FLAKY = `import { existsSync, writeFileSync } from 'node:fs';
test('is flaky', () => {
  if (existsSync(import.meta.filename + '.ran')) return console.log('the second time');
  writeFileSync(import.meta.filename + '.ran', '');
  throw new Error('the first time');
});
test.run();
`;

test('a file that fails and passes alone is told as flaky, with both outputs, and counts as passed', () => {
  const { stdout, status, tally, index } = run({ one: PASSES, two: FLAKY }, '--lanes=2');
  assert.is(tally, '2 passed, 0 failed');
  assert.is(status, 0);
  const told = stdout.slice(index('Flaky: test/two.test.ts'));
  assert.match(told, /\| .*the first time[\s\S]*\| .*the second time/);
  assert.match(told, /\nFlaky files: test\/two\.test\.ts\n/);
});

test('a file that fails twice has failed', () => {
  const broken = `test('x', () => { throw new Error('why') }); test.run();`;
  const { tally, status, stdout } = run({ one: PASSES, two: broken }, '--lanes=2');
  assert.is(tally, '1 passed, 1 failed');
  assert.is(status, 1);
  assert.is(stdout.split('FAIL a suite "x"').length, 3);
});

test('more than two flaky files fail the run', () => {
  const { tally, status, stdout } = run({ a: FLAKY, b: FLAKY, c: FLAKY }, '--lanes=2');
  assert.is(tally, '3 passed, 1 failed');
  assert.is(status, 1);
  assert.match(stdout, /FAIL run: 3 flaky files, 2 at most/);
});

test('a file whose process ends is a failure, and the others run', () => {
  const ends = `test('x', () => process.exit(3)); test.run();`;
  const { tally, stdout } = run({ a: ends, b: PASSES, c: PASSES }, '--lanes=2');
  assert.is(tally, '2 passed, 1 failed');
  assert.match(stdout, /FAIL the process of test\/a\.test\.ts ended \(3\)/);
});

test('a file of the proof runs in the proof, or where its name is given', () => {
  const files = { one: PASSES, two: `// proof only: 5\n${PASSES}` };
  assert.is(run(files, '--lanes=1').tally, '1 passed, 0 failed');
  assert.match(run(files, '--lanes=1', 'two').stdout, /\ntest\/two\.test\.ts\n/);
  assert.match(
    run(files, '--proof').stdout,
    /\ntest\/two\.test\.ts\n[\s\S]*\n1 passed, 0 failed\n$/,
  );
});

test('--fast says how many tests need Postgres', () => {
  const needs = `import { sharedPostgres } from ${JSON.stringify(resolve('test/postgres.ts'))};
test('x', () => { sharedPostgres(); });
${PASSES}`;
  const { tally, stdout } = run({ one: needs }, '--fast');
  assert.is(tally, '1 passed, 0 failed');
  assert.match(stdout, /--fast left out 1 tests that need Postgres/);
});

test('tests ask for Postgres where --fast can leave them out', () => {
  const around = readdirSync('test', { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.test.ts'))
    .filter((name) =>
      /env\['SVC_TEST_POSTGRES_URL'\]/.test(readFileSync(join('test', name), 'utf8')),
    );
  assert.equal(around, [], 'use sharedPostgres of test/postgres.ts');
});

test.run();
