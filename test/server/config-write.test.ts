/** Replacing the file keeps what belongs to it, and an edit keeps the text around it. */
import {
  chmodSync,
  chownSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { UserError } from '@svc/plugin-sdk';
import fc from 'fast-check';
import * as assert from 'uvu/assert';
import { setKey } from '../../server/src/config/edit.ts';
import { parseToml } from '../../server/src/config/parse.ts';
import { writeConfig } from '../../server/src/config/write.ts';
import { suite } from '../runner/suite.ts';

const test = suite<{ dir: string; file: string }>('configuration writing');

test.before.each((context) => {
  context.dir = mkdtempSync(join(tmpdir(), 'svc-write-'));
  context.file = join(context.dir, 'server.toml');
  writeFileSync(context.file, 'old');
});
test.after.each(({ dir }) => rmSync(dir, { recursive: true, force: true }));

/** Root in a container may know no other users than itself. */
function mayChown(): boolean {
  const dir = mkdtempSync(join(tmpdir(), 'svc-chown-'));
  try {
    chownSync(dir, 12_345, 12_346);
    return true;
  } catch {
    return false;
  } finally {
    rmSync(dir, { recursive: true });
  }
}

async function failure(work: Promise<void>): Promise<string> {
  return work.then(
    () => 'written',
    (error: Error) => error.message,
  );
}

for (const mode of [0o600, 0o640, 0o644, 0o666, 0o755]) {
  test(`mode ${mode.toString(8)} is kept`, async ({ dir, file }) => {
    chmodSync(file, mode);
    await writeConfig(file, 'new');
    assert.is(readFileSync(file, 'utf8'), 'new');
    assert.is(statSync(file).mode & 0o7777, mode);
    assert.equal(readdirSync(dir), ['server.toml']);
  });
}

const owner = mayChown() ? test : test.skip;
owner('owner and group are kept (needs root)', async ({ file }) => {
  chownSync(file, 12_345, 12_346);
  chmodSync(file, 0o640);
  await writeConfig(file, 'new');
  const { uid, gid, mode } = statSync(file);
  assert.equal([uid, gid, mode & 0o7777], [12_345, 12_346, 0o640]);
});

test('a symbolic link stays, its target is replaced', async ({ dir, file }) => {
  mkdirSync(join(dir, 'links'));
  const link = join(dir, 'links', 'server.toml');
  symlinkSync('../server.toml', link);
  chmodSync(file, 0o640);
  await writeConfig(link, 'new');
  assert.ok(lstatSync(link).isSymbolicLink());
  assert.is(readFileSync(file, 'utf8'), 'new');
  assert.is(statSync(file).mode & 0o7777, 0o640);
  assert.equal(readdirSync(join(dir, 'links')), ['server.toml']);
});

test('a new file is readable by its owner alone', async ({ dir }) => {
  const file = join(dir, 'new.toml');
  await writeConfig(file, 'new');
  assert.is(readFileSync(file, 'utf8'), 'new');
  assert.is(statSync(file).mode & 0o7777, 0o600);
});

test('a read-only file is not replaced', async ({ dir, file }) => {
  chmodSync(file, 0o444);
  assert.match(await failure(writeConfig(file, 'new')), 'read-only');
  assert.is(readFileSync(file, 'utf8'), 'old');
  assert.equal(readdirSync(dir), ['server.toml']);
});

test('a failed rename leaves the old state and no temporary file', async ({ dir }) => {
  const target = join(dir, 'directory');
  mkdirSync(target);
  writeFileSync(join(target, 'x'), '');
  assert.match(await failure(writeConfig(target, 'new')), /EISDIR|ENOTEMPTY|EEXIST/);
  assert.equal(readdirSync(dir).toSorted(), ['directory', 'server.toml']);
});

test('a missing directory is an error', async ({ dir }) => {
  assert.match(await failure(writeConfig(join(dir, 'no', 'x.toml'), 'new')), 'ENOENT');
});

test('writers at the same time leave one whole text', async ({ dir, file }) => {
  const texts = Array.from({ length: 8 }, (_, n) => `${n}`.repeat(50_000));
  await Promise.all(texts.map((text) => writeConfig(file, text)));
  assert.ok(texts.includes(readFileSync(file, 'utf8')));
  assert.equal(readdirSync(dir), ['server.toml']);
});

const TEXT = `# head
ws_listener = "127.0.0.1:1" # here

# about the database
[database] # table
database_url = 'sqlite://x'   # url
max_connections =  10

[[list]]
n = 1 # one
`;

/** [name, path, value, what is replaced in the text, by what] */
const edits: [name: string, path: string[], value: unknown, from: string, to: string][] = [
  ['a top-level value', ['ws_listener'], '[::]:2', '"127.0.0.1:1"', '"[::]:2"'],
  ['a value in a table', ['database', 'max_connections'], 5, '=  10', '=  5'],
  [
    'a new key in a table',
    ['database', 'idle_timeout_ms'],
    7,
    '=  10\n',
    '=  10\nidle_timeout_ms = 7\n',
  ],
  ['a removed key', ['database', 'max_connections'], undefined, 'max_connections =  10\n', ''],
  ['the same value', ['database', 'max_connections'], 10, '', ''],
];

for (const [name, path, value, from, to] of edits) {
  test(`an edit keeps comments and layout: ${name}`, () => {
    assert.is(setKey(TEXT, path, value), TEXT.replace(from, to));
  });
}

test('an edit makes missing tables and keeps every comment', () => {
  const edited = setKey(TEXT, ['logging', 'log_filter'], 'debug');
  assert.equal(structuredClone(parseToml(edited)['logging']), { log_filter: 'debug' });
  for (const line of TEXT.split('\n')) assert.ok(edited.split('\n').includes(line), line);
});

test('an edit refuses a path through something that is no table, and text that is no TOML', () => {
  assert.throws(
    () => setKey(TEXT, ['ws_listener', 'x'], 1),
    (error: unknown) => error instanceof UserError,
  );
  assert.throws(
    () => setKey('a = ', ['x'], 1),
    (error: unknown) => error instanceof UserError,
  );
});

test('an edit of any plain value is read back as it was set, and the rest stays', () => {
  const value = fc.oneof(
    fc.string(),
    fc.integer(),
    fc.boolean(),
    fc.array(fc.string(), { maxLength: 4 }),
  );
  const key = fc.stringMatching(/^[a-z_]{1,10}$/).filter((name) => !(name in {}));
  fc.assert(
    fc.property(fc.constantFrom('', 'database', 'fresh'), key, value, (table, name, set) => {
      const path = table === '' ? [name] : [table, name];
      const expected = structuredClone(parseToml(TEXT)) as Record<string, any>;
      fc.pre(!['list', 'database', 'fresh'].includes(name));
      if (table === '') expected[name] = set;
      else expected[table] = { ...expected[table], [name]: set };
      assert.equal(structuredClone(parseToml(setKey(TEXT, path, set))), expected);
    }),
    { numRuns: 200 },
  );
});

test.run();
