/** `auto_gen` is replaced once, in the file, and nothing else changes (configuration.md §2). */
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { UserError } from '@svc/plugin-sdk';
import fc from 'fast-check';
import * as assert from 'uvu/assert';
import { fixAutoGen } from '../../server/src/config/auto-gen.ts';
import { loadConfig } from '../../server/src/config/load.ts';
import { suite } from '../runner/suite.ts';

const test = suite<{ dir: string; file: string }>('auto_gen');

test.before.each((context) => {
  context.dir = mkdtempSync(join(tmpdir(), 'svc-config-'));
  context.file = join(context.dir, 'server.toml');
});
test.after.each(({ dir }) => rmSync(dir, { recursive: true, force: true }));

const UUID = '0190b7e4-3a52-4c01-9f6e-0f5a3a1b2c3d';
const REST = 'ws_listener = "127.0.0.1:2211"\n[database]\ndatabase_url = "sqlite://x"\n';
const V4 = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

/** [name, text before, text after with U for the UUID] */
const rewritten: [name: string, before: string, after: string][] = [
  ['the form of the chapter', 'server_uuid = "auto_gen"\n', 'server_uuid = "U"\n'],
  ['no blanks', 'server_uuid="auto_gen"\n', 'server_uuid="U"\n'],
  ['single quotes', "server_uuid = 'auto_gen'\n", "server_uuid = 'U'\n"],
  ['capitals', 'server_uuid = "AUTO_GEN"\n', 'server_uuid = "U"\n'],
  ['mixed case', 'server_uuid = "Auto_Gen"\n', 'server_uuid = "U"\n'],
  [
    'an indented line with a comment',
    '\t server_uuid\t=\t"auto_gen" # once\n',
    '\t server_uuid\t=\t"U" # once\n',
  ],
  [
    'comments, blank lines and order',
    '# a\n\n#server_uuid = "auto_gen"\nserver_uuid = "auto_gen"\n# b\n\n',
    '# a\n\n#server_uuid = "auto_gen"\nserver_uuid = "U"\n# b\n\n',
  ],
  [
    'CRLF becomes LF',
    '# a\r\nserver_uuid = "auto_gen"\r\n# b\r\n',
    '# a\nserver_uuid = "U"\n# b\n',
  ],
  ['a missing line end is added', '# a\nserver_uuid = "auto_gen"', '# a\nserver_uuid = "U"\n'],
  ['a byte order mark stays', '\ufeffserver_uuid = "auto_gen"\n', '\ufeffserver_uuid = "U"\n'],
  [
    'other keys with such a value are left alone',
    'title = "auto_gen"\nserver_uuid = "auto_gen"\nmy_server_uuid = "auto_gen"\n',
    'title = "auto_gen"\nserver_uuid = "U"\nmy_server_uuid = "auto_gen"\n',
  ],
  [
    'a line inside a multi-line text is left alone',
    'server_uuid = "auto_gen"\nnote = """\nserver_uuid = "auto_gen"\n"""\n',
    'server_uuid = "U"\nnote = """\nserver_uuid = "auto_gen"\n"""\n',
  ],
  [
    'the key in a table is replaced too, in any case, with what follows the word',
    'server_uuid = "auto_gen"\n[peer]\nSERVER_UUID = "auto_gen-2"\n',
    'server_uuid = "U"\n[peer]\nSERVER_UUID = "U-2"\n',
  ],
];

for (const [name, before, after] of rewritten) {
  test(`rewriting: ${name}`, () => {
    assert.is(
      fixAutoGen(before, UUID),
      after
        .replaceAll('U"', `${UUID}"`)
        .replaceAll("U'", `${UUID}'`)
        .replaceAll('U-2', `${UUID}-2`),
    );
  });
}

test('a load writes a random version 4 UUID into the file, later loads keep it', async ({
  dir,
  file,
}) => {
  writeFileSync(file, `# mine\nserver_uuid = "auto_gen" # once\n${REST}`);
  const first = await loadConfig(file);
  assert.match(first.head.server_uuid, V4);
  const text = readFileSync(file, 'utf8');
  assert.is(text, `# mine\nserver_uuid = "${first.head.server_uuid}" # once\n${REST}`);
  assert.is(first.text, text);
  const second = await loadConfig(file);
  assert.is(second.head.server_uuid, first.head.server_uuid);
  assert.is(readFileSync(file, 'utf8'), text);
  assert.equal(readdirSync(dir), ['server.toml'], 'no temporary file stays');
});

test('two files get two UUIDs', async ({ dir }) => {
  const uuids = new Set<string>();
  for (const name of ['a', 'b']) {
    writeFileSync(join(dir, name), `server_uuid = "auto_gen"\n${REST}`);
    uuids.add((await loadConfig(join(dir, name))).head.server_uuid);
  }
  assert.is(uuids.size, 2);
});

test('a file that says no auto_gen is not touched', async ({ file }) => {
  const text = `server_uuid = "${UUID}"\r\n${REST.replaceAll('\n', '\r\n')}[x]\r\nserver_uuid = "auto_gen"`;
  writeFileSync(file, text);
  assert.is((await loadConfig(file)).text, text);
  assert.is(readFileSync(file, 'utf8'), text);
});

async function failure(file: string): Promise<string> {
  try {
    await loadConfig(file);
  } catch (error) {
    assert.instance(error, UserError);
    return (error as Error).message;
  }
  return 'loaded';
}

const notRewritten: [name: string, line: string][] = [
  ['a quoted key', '"server_uuid" = "auto_gen"'],
  ['a multi-line text', 'server_uuid = """auto_gen"""'],
];

for (const [name, line] of notRewritten) {
  test(`${name} is not rewritten and fails to load, the file stays`, async ({ file }) => {
    writeFileSync(file, `${line}\n${REST}`);
    assert.match(await failure(file), /^server_uuid: /);
    assert.is(readFileSync(file, 'utf8'), `${line}\n${REST}`);
  });
}

test('a read-only file fails to load, named as the reason, and stays', async ({ dir, file }) => {
  const text = `server_uuid = "auto_gen"\n${REST}`;
  writeFileSync(file, text);
  chmodSync(file, 0o444);
  assert.match(
    await failure(file),
    /^server_uuid: the generated UUID cannot be written to .*server\.toml: .*read-only/,
  );
  assert.is(readFileSync(file, 'utf8'), text);
  assert.equal(readdirSync(dir), ['server.toml']);
});

test('a file with another mistake still gets its UUID, so that the next try keeps it', async ({
  file,
}) => {
  writeFileSync(file, 'server_uuid = "auto_gen"\nws_listener = 5\n');
  assert.match(
    await failure(file),
    /^database: is missing$|^ws_listener: must be a text in quotes \(line 2\)$/m,
  );
  assert.match(readFileSync(file, 'utf8'), /^server_uuid = "[0-9a-f-]{36}"\n/);
});

const unreadable: [name: string, prepare: (file: string) => void, message: RegExp][] = [
  ['no file', () => {}, /^cannot read the configuration .*server\.toml: ENOENT/],
  [
    'a directory',
    (file) => mkdirSync(file),
    /^cannot read the configuration .*server\.toml: EISDIR/,
  ],
  [
    'text that is not UTF-8',
    (file) => writeFileSync(file, Buffer.from([0x23, 0xff, 0xfe, 0x0a])),
    /^cannot read the configuration .*server\.toml: it is not UTF-8 text$/,
  ],
  [
    'text that is not TOML',
    (file) => writeFileSync(file, 'a = 1\nb\n'),
    /\(line 2, column \d+\)\n\(configuration: .*server\.toml\)$/,
  ],
];

for (const [name, prepare, message] of unreadable) {
  test(`${name} fails to load, and the message says why`, async ({ file }) => {
    prepare(file);
    assert.match(await failure(file), message);
  });
}

const blank = fc.constantFrom('', ' ', '\t', '  ');
const otherLine = fc.oneof(
  fc.constantFrom(
    '',
    '# server_uuid = "auto_gen"',
    '#',
    'note = "server_uuid = auto_gen"',
    "text = '''\nserver_uuid = \"auto_gen\"\n'''",
  ),
  fc.nat(99).map((n) => `key_${n} = ${n} # comment`),
);

test('whatever stands around it, only the word changes', () => {
  fc.assert(
    fc.property(
      fc.uniqueArray(otherLine, { maxLength: 6, selector: (line) => line.split(' ')[0] }),
      fc.uniqueArray(
        fc.nat(99).map((n) => `late_${n} = "auto_gen"`),
        { maxLength: 3 },
      ),
      fc.tuple(blank, blank, blank, blank),
      fc.constantFrom('auto_gen', 'AUTO_GEN', 'Auto_gen'),
      fc.constantFrom('"', "'"),
      fc.constantFrom('\n', '\r\n'),
      (above, below, [indent, left, right, trail], word, quote, end) => {
        const around = (middle: string, lineEnd: string) =>
          [...above, middle, ...below, ''].join('\n').replaceAll('\n', lineEnd);
        const before = `${indent}server_uuid${left}=${right}${quote}${word}${quote}${trail}# c`;
        const after = `${indent}server_uuid${left}=${right}${quote}${UUID}${quote}${trail}# c`;
        assert.is(fixAutoGen(around(before, end), UUID), around(after, '\n'));
      },
    ),
  );
});

test.run();
