// proof only: 10
/** `backup` and `restore` as a person sees them, in a terminal. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { bootForTest, type TestApp } from '@svc/plugin-sdk/testing';
import * as assert from 'uvu/assert';
import { hasPty, loadPty } from '../../agent/src/terminal/pty.ts';
import { until } from '../process/havoc.ts';
import { suite } from '../runner/suite.ts';
import { configOf, emptyTarget, folder, PLUGINS } from './kit.ts';

const test = suite('backup in a terminal');
const bin = join(import.meta.dirname, '../../server/bin/svc-server.js');
const COLUMNS = 60;
const PASSPHRASE = 'correct horse';
const place = folder();
let app: TestApp;

if (!hasPty()) process.stdout.write('  skipped: the package @lydell/node-pty is not installed\n');
const inTerminal = hasPty() ? test : test.skip;

test.before(async () => {
  app = await bootForTest(undefined, { plugins: PLUGINS }, { empty: true });
});
test.after(async () => {
  await app?.stop();
  place.clean();
});

interface Shown {
  readonly code: number | undefined;
  /** Everything that came. */
  readonly text: string;
  /** What stands there in the end. */
  readonly screen: readonly string[];
}

/** Runs the program in a terminal, and answers its prompts in turn. */
async function run(args: readonly string[], answers: readonly string[] = []): Promise<Shown> {
  const { spawn } = await loadPty();
  const env = { ...process.env, TERM: 'xterm' };
  const options = { cols: COLUMNS, rows: 24, env };
  const terminal = spawn(process.execPath, [bin, ...args], options) as unknown as Terminal;
  const left = [...answers];
  let text = '';
  let code: number | undefined;
  terminal.onData((more) => {
    text += more;
    if (/(?:Passphrase|Once more): $/.test(more)) terminal.write(`${left.shift()}\r`);
  });
  terminal.onExit(({ exitCode }) => {
    code = exitCode;
  });
  await until('the end of the program', () => code !== undefined);
  return { code, text, screen: screenOf(text) };
}

interface Terminal {
  write(text: string): void;
  onData(listen: (text: string) => void): void;
  onExit(listen: (status: { exitCode: number }) => void): void;
}

/** The rows of a terminal that wraps, goes back (CR) and erases the rest of a row (ESC [ K). */
function screenOf(text: string): string[] {
  const rows = [''];
  let column = 0;
  const next = () => {
    rows.push('');
    column = 0;
  };
  // biome-ignore lint/suspicious/noControlCharactersInRegex: what erases is looked for
  for (const [part] of text.replaceAll('\r\n', '\n').matchAll(/\u001b\[K|[\s\S]/gu)) {
    if (part === '\n' || (column === COLUMNS && part >= ' ')) next();
    const row = rows.at(-1) ?? '';
    if (part === '\r') column = 0;
    else if (part === '\u001b[K') rows[rows.length - 1] = row.slice(0, column);
    else if (part !== '\n') {
      rows[rows.length - 1] = row.slice(0, column) + part + row.slice(column + 1);
      column += 1;
    }
  }
  return rows.filter((row) => row !== '');
}

inTerminal(
  'a backup and a restore show how far they are in a line that their result replaces',
  async () => {
    const file = join(place.dir, 'plain.tar');
    const made = await run(['backup', file, '-c', configOf(app)]);
    assert.is(made.code, 0, made.text);
    assert.match(made.text, '\r\u001b[Kcopying the database: ');
    const result = /^\/\S+plain\.tar: \d+ rows of \d+ tables, \d+ files, \d+ bytes$/;
    assert.match(made.screen.join(''), result);
    const target = await emptyTarget('sqlite', configOf(app));
    try {
      const restored = await run(['restore', file, '-c', target.config]);
      assert.is(restored.code, 0, restored.text);
      assert.match(restored.text, '\r\u001b[Kverifying ');
      assert.match(
        restored.screen.join(''),
        /^The data is as it was at \S+Z\. Start the server now\.$/,
      );
    } finally {
      await target.remove();
    }
  },
);

inTerminal('a restore beside another server_uuid says what agents look for', async () => {
  const file = join(place.dir, 'moved.tar');
  assert.is((await run(['backup', file, '-c', configOf(app)])).code, 0);
  const target = await emptyTarget('sqlite', configOf(app));
  try {
    const LINE = /^server_uuid = "(.*)"$/m;
    const fresh = readFileSync(target.config, 'utf8');
    writeFileSync(target.config, fresh.replace(LINE, 'server_uuid = "auto_gen"'));
    const restored = await run(['restore', file, '-c', target.config]);
    assert.is(restored.code, 0, restored.text);
    const [line] = LINE.exec(fresh) ?? [];
    assert.ok(restored.screen.includes(`  ${line}`), restored.text);
    assert.match(restored.text, 'signing.key');
  } finally {
    await target.remove();
  }
});

inTerminal('what fails stands on a line of its own', async () => {
  const { code, screen } = await run([
    'restore',
    join(place.dir, 'plain.tar'),
    '-c',
    configOf(app),
  ]);
  assert.is(code, 1);
  assert.match(
    screen.join(''),
    /^database\.database_url: another server is running on .*; stop it, or/,
  );
});

inTerminal('the passphrase is asked where nobody reads it, twice where it is new', async () => {
  const file = join(place.dir, 'sealed.tar');
  const secret = ['backup', file, '--with-secrets', '-c', configOf(app)];
  const mistyped = await run(secret, [PASSPHRASE, 'corect horse']);
  assert.is(mistyped.code, 1);
  assert.match(mistyped.screen.at(-1) ?? '', /the two passphrases differ/);
  const made = await run(secret, [PASSPHRASE, PASSPHRASE]);
  assert.is(made.code, 0, made.text);
  const target = await emptyTarget('sqlite', configOf(app));
  const written = join(target.dir, 'restored.toml');
  const restore = ['restore', file, '--configuration', written, '-c', target.config];
  try {
    const wrong = await run(restore, ['another horse']);
    assert.is(wrong.code, 1);
    assert.equal(wrong.screen, [
      'Passphrase: ',
      'the passphrase does not open the secrets of the backup; noth',
      'ing was restored',
    ]);
    const { code, text, screen } = await run(restore, [PASSPHRASE]);
    assert.is(code, 0, text);
    assert.is(screen[0], 'Passphrase: ');
    assert.is(readFileSync(written, 'utf8'), readFileSync(configOf(app), 'utf8'));
    for (const one of [made, mistyped, wrong]) assert.not.match(one.text + text, /horse/);
  } finally {
    await target.remove();
  }
});

inTerminal('Ctrl-C at the passphrase ends the backup, and leaves nothing', async () => {
  const file = join(place.dir, 'given-up.tar');
  const { code, screen } = await run(
    ['backup', file, '--with-secrets', '-c', configOf(app)],
    ['\u0003'],
  );
  assert.is(code, 1);
  assert.match(screen.at(-1) ?? '', /need a passphrase/);
  assert.not.ok(existsSync(file));
});

test.run();
