// proof: 6
// svc-server.md §6, §7, §14: read_config, edit_config, and config_warnings, which is an addition. The configuration file is config.toml in the test's directory.

import {
  chmod,
  lstat,
  mkdir,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { definePlugin } from '@svc/plugin-sdk';
import { bootForTest, type RpcFailure, type TestApp } from '@svc/plugin-sdk/testing';
import * as assert from 'uvu/assert';
import { freePort } from '../ports.ts';
import { oneDialect } from '../runner/proof.ts';
import { suite } from '../runner/suite.ts';
import { numbers } from './svc-server-sql-cases.ts';

type Edit = (text: string) => string;
type RefusalCase = [name: string, edit: Edit, code: number, message: RegExp];

const SUPER_REQUIRED = 'Permission denied: Permission Denied: Super token required';
const uuidLine = /^server_uuid = .*$/m;
const listenerLine = /^ws_listener = .*$/m;

// biome-ignore format: one case per line
const parseCases: RefusalCase[] = [
  ['no TOML', () => 'ws_listener = ', 101, /^Parse error: Config parse error: ./],
  ['empty text', () => '', 101, /^Parse error: Config parse error: .*(server_uuid|ws_listener|database)/],
  ['a missing required key', (text) => text.replace(listenerLine, ''), 101, /^Parse error: Config parse error: .*ws_listener/],
  ['a missing required table', (text) => text.replace(/^\[database\]\n.*$/m, ''), 101, /^Parse error: Config parse error: .*database/],
  ['a wrong type', (text) => `jsonrpc_max_connections = "many"\n${text}`, 101, /^Parse error: Config parse error: .*jsonrpc_max_connections/],
  ['zero where it breaks', (text) => `jsonrpc_max_connections = 0\n${text}`, 101, /^Parse error: Config parse error: .*jsonrpc_max_connections/],
  ['a host name as address', (text) => text.replace(listenerLine, 'ws_listener = "localhost:1"'), 101, /^Parse error: Config parse error: .*ws_listener/],
  ['no UUID', (text) => text.replace(uuidLine, 'server_uuid = "mine"'), 101, /^Parse error: Config parse error: .*server_uuid/],
  ['a wrong type in the section of a plugin', (text) => `${text}\n[server-info]\nexec_sql_timeout_ms = "long"\n`, 101, /^Parse error: Config parse error: .*exec_sql_timeout_ms/],
  ['a certificate without its key', (text) => `tls_cert = "cert.pem"\n${text}`, 101, /^Parse error: Config parse error: tls_cert: is set without tls_key: set both, or none for plain HTTP \(line 1\)$/],
  ['a misspelt required key', (text) => text.replace('ws_listener', 'ws_listner'), 101, /^Parse error: Config parse error: ws_listener: is missing; is 'ws_listner' meant to be it\?$/],
  ['auto_gen_x is no auto_gen', (text) => text.replace(uuidLine, 'server_uuid = "auto_gen_x"'), 101, /^Parse error: Config parse error: .*server_uuid/],
];

// biome-ignore format: one case per line
const trialCases: RefusalCase[] = [
  ['an address of another machine', (text) => text.replace(listenerLine, 'ws_listener = "192.0.2.1:47123"'), 108, /^Invalid input: .*192\.0\.2\.1/],
  ['an address of another machine, same port', (text) => text.replace(listenerLine, (line) => line.replace('127.0.0.1', '192.0.2.1')), 108, /^Invalid input: .*192\.0\.2\.1/],
];

// biome-ignore format: one text per line
const autoGenCases: [name: string, line: string, kept: (uuid: string) => string][] = [
  ['double quotes and a comment', 'server_uuid = "auto_gen" # mine', (uuid) => `server_uuid = "${uuid}" # mine`],
  ['single quotes, other letter case', `server_uuid = 'Auto_Gen'`, (uuid) => `server_uuid = '${uuid}'`],
  ['odd blanks', '  server_uuid="auto_gen"', (uuid) => `  server_uuid="${uuid}"`],
  ['a quoted key', '"server_uuid" = "auto_gen"', (uuid) => `"server_uuid" = "${uuid}"`],
  ['the same line inside a longer text', 'note = """\nserver_uuid = "auto_gen"\n"""\nserver_uuid = "auto_gen"', (uuid) => `note = """\nserver_uuid = "auto_gen"\n"""\nserver_uuid = "${uuid}"`],
];

interface Warning {
  kind: string;
  key?: string;
  nearest?: string;
  message: string;
}

/** [name, edit, "kind key" or "kind key → nearest" of each warning] */
// biome-ignore format: one case per line
const warningCases: [name: string, edit: Edit, warnings: string[]][] = [
  ['a text that says nothing in vain', (text) => text, []],
  ['a misspelt key of the head', (text) => `max_request_body_sise = 1\n${text}`, ['unknown max_request_body_sise → max_request_body_size']],
  ['a misspelt key of a plugin', (text) => `${text}\n[server-info]\nexec_sql_timeout = 1\n`, ['unknown server-info.exec_sql_timeout → server-info.exec_sql_timeout_ms']],
  ['a key like nothing', (text) => `colour = "x"\n${text}`, ['unknown colour']],
  ['keys of a table that need a restart', (text) => text.replace('log_filter = "info"', 'log_filter = "warn"\nmemory_log_capacity = 7'), ['restart logging.log_filter', 'restart logging.memory_log_capacity']],
  ['a key of a plugin that needs a restart', (text) => `${text}\n[kv]\nretention_interval_ms = 7000\n`, ['restart kv.retention_interval_ms']],
  ['a key that a reload changes', (text) => `jsonrpc_max_connections = 77\n${text}`, []],
  ['plugins below a table header', (text) => text.replace('[database]', '[database]\nplugins = ["token"]'), ['unknown database.plugins → plugins', 'advice']],
];

for (const dialect of oneDialect) {
  // Refused edits change nothing, so they share one server; the others get one each.
  const refusals = suite(`svc-server: refused configurations (${dialect})`);
  const test = suite(`svc-server: configuration (${dialect})`);
  let app: TestApp;
  let file: string;
  let original: string;

  const start = async () => {
    app = await bootForTest(['token', 'server-info', 'kv'], { allowed_hosts: [] }, { dialect });
    file = join(app.dir, 'config.toml');
    original = await readFile(file, 'utf8');
  };
  refusals.before(start);
  // In one step: a reload that an edit has asked for may read the file at this moment.
  refusals.after.each(async () => {
    await writeFile(`${file}.original`, original);
    await rename(`${file}.original`, file);
  });
  refusals.after(() => app.stop());
  test.before.each(start);
  test.after.each(() => app.stop());

  const edit = (text: string) => app.call('svc-server_edit_config', [app.superToken, text]);
  const failure = async (work: Promise<unknown>): Promise<any> => {
    const outcome = await work.then(
      (result) => ({ result }),
      (error: RpcFailure) => error,
    );
    assert.ok(outcome instanceof Error, `not refused: ${JSON.stringify(outcome)}`);
    return outcome;
  };
  const unchanged = async () => {
    assert.is(await readFile(file, 'utf8'), original);
    assert.is(await app.call('svc-server_hello'), 'svc Server Is Running!');
    assert.equal(await leftovers(), []);
  };
  const leftovers = async () => (await readdir(app.dir)).filter((name) => name.includes('.tmp'));
  /** Waits, with a deadline, for what a reload brings. */
  const eventually = async (what: string, check: () => Promise<boolean>) => {
    const until = Date.now() + 30_000;
    while (!(await check())) {
      if (Date.now() > until) throw new Error(`not within 30 s: ${what}`);
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  };

  test('read_config gives the raw text, whatever the working directory', async () => {
    await writeFile(file, `# Zürich, with "quotes"\r\n${original}`);
    const text = await app.call('svc-server_read_config', { token: app.superToken });
    assert.is(text, `# Zürich, with "quotes"\r\n${original}`);
  });

  test('read_config and edit_config follow the path of the moment', async () => {
    await rm(file);
    for (const work of [
      () => app.call('svc-server_read_config', [app.superToken]),
      () => edit(original),
    ]) {
      const { code, message } = await failure(work());
      assert.is(code, 108);
      assert.match(message, /^Invalid input: Invalid config path: .*ENOENT/);
    }
    await mkdir(file);
    for (const work of [
      () => app.call('svc-server_read_config', [app.superToken]),
      () => edit(original),
    ]) {
      const { code, message } = await failure(work());
      assert.is(code, 108);
      assert.is(message, 'Invalid input: Config path must be a regular file');
    }
  });

  test('read_config refuses bytes that are not UTF-8', async () => {
    await writeFile(file, Buffer.from([0x23, 0xff, 0x0a]));
    const { code, message } = await failure(app.call('svc-server_read_config', [app.superToken]));
    assert.is(code, 999);
    assert.match(message, /^Other error: Failed to read config file: ./);
  });

  refusals('both need the Super Token, before anything else is looked at', async () => {
    const ordinary = await app.token([{ scopes: ['global'], permissions: [{ svc: 'exec_sql' }] }]);
    for (const token of [ordinary, `${app.superToken}x`, 'nobody|nothing']) {
      for (const method of ['svc-server_read_config', 'svc-server_edit_config']) {
        const { code, message } = await failure(app.call(method, [token, 'no TOML =']));
        assert.equal([code, message], [102, SUPER_REQUIRED]);
      }
    }
    const { code, data } = await failure(app.call('svc-server_edit_config', [ordinary, 5]));
    assert.is(code, -32602);
    assert.type(data, 'string');
    await unchanged();
  });

  for (const [name, change, code, message] of [...parseCases, ...trialCases]) {
    refusals(`edit_config refuses ${name} and serves on`, async () => {
      const error = await failure(edit(change(original)));
      assert.is(error.code, code);
      assert.match(error.message, message);
      await unchanged();
    });
  }

  for (const [what, name] of [
    ['is missing', 'nonexistent.pem'],
    ['is no certificate', 'test.db'],
  ] as const)
    refusals(`edit_config refuses a text whose TLS file ${what}, and serves on`, async () => {
      const [cert, key] = [join(app.dir, name), join(app.dir, 'key.pem')];
      const text = `tls_cert = ${JSON.stringify(cert)}\ntls_key = ${JSON.stringify(key)}\n${original}`;
      // The operator has named the files: over the wire nobody does (test/security/edit-config.test.ts).
      await writeFile(file, text);
      const error = await failure(edit(`# x\n${text}`));
      assert.is(error.code, 108);
      assert.match(error.message, /^Invalid input: .*(tls|cert)/);
      assert.is(await readFile(file, 'utf8'), text);
    });

  refusals('edit_config refuses an occupied port and serves on', async () => {
    const other = createServer();
    await new Promise<void>((done) => other.listen(0, '127.0.0.1', done));
    const { port } = other.address() as { port: number };
    const error = await failure(
      edit(original.replace(listenerLine, `ws_listener = "127.0.0.1:${port}"`)),
    );
    await new Promise((done) => other.close(done));
    assert.is(error.code, 108);
    assert.match(error.message, new RegExp(`^Invalid input: .*${port}`));
    await unchanged();
  });

  test('edit_config does not replace a read-only file', async () => {
    await chmod(file, 0o444);
    const error = await failure(edit(`${original}# x\n`));
    assert.is(error.code, 999);
    assert.match(error.message, /^Other error: Failed to write temp config file: ./);
    await unchanged();
  });

  test('edit_config keeps the text as it is, the mode of the file, and unknown keys', async () => {
    await chmod(file, 0o640);
    const text = `# kept\r\n   unknown_key   =   1   # kept too\n${original}\n\n# the end`;
    assert.is(await edit(text), true);
    assert.is(await readFile(file, 'utf8'), text);
    assert.is((await stat(file)).mode & 0o777, 0o640);
    assert.equal(await leftovers(), []);
  });

  const warnings = async (): Promise<Warning[]> =>
    (await app.call('svc-server_config_warnings', [app.superToken])).warnings;
  const brief = ({ kind, key, nearest }: Warning) =>
    [kind, key, nearest && `→ ${nearest}`].filter(Boolean).join(' ');

  for (const [name, change, expected] of warningCases) {
    refusals(`edit_config answers true and config_warnings tells of ${name}`, async () => {
      assert.is(await edit(change(original)), true);
      const found = await warnings();
      assert.equal(found.map(brief).sort(), expected.toSorted());
      for (const { key = '', nearest = '', message } of found) {
        assert.ok(message.includes(key), message);
        assert.ok(message.includes(nearest), message);
      }
      assert.is(await edit(original), true);
      assert.equal(await warnings(), []);
    });
  }

  refusals(
    'config_warnings names the keys of the file that edit_config does not change',
    async () => {
      await writeFile(
        file,
        `${original}\n[enrol]\nurl = ""\nmax_codes = 5\n[greeter]\nword = "x"\n`,
      );
      const { file_only } = await app.call('svc-server_config_warnings', [app.superToken]);
      const own = ['allowed_hosts', 'static_path', 'database.database_url'];
      for (const key of [...own, 'enrol.url', 'greeter']) assert.ok(file_only.includes(key), key);
      for (const key of ['server_uuid', 'ws_listener', 'enrol.max_codes'])
        assert.not.ok(file_only.includes(key), key);
    },
  );

  refusals('config_warnings needs the Super Token', async () => {
    const ordinary = await app.token([{ scopes: ['global'], permissions: [{ svc: 'exec_sql' }] }]);
    const { code, message } = await failure(app.call('svc-server_config_warnings', [ordinary]));
    assert.equal([code, message], [102, SUPER_REQUIRED]);
  });

  refusals(
    'config_warnings tells of a file that was broken by hand, and of a reload that failed',
    async () => {
      await writeFile(file, original.replace('ws_listener', 'ws_listner'));
      await app.reload().catch(() => {});
      const found = await warnings();
      assert.equal(
        found.map(({ kind }) => kind),
        ['reload'],
      );
      const [{ message } = { message: '' }] = found;
      assert.match(message, `ws_listener: is missing; is 'ws_listner' meant to be it?`);
      assert.match(message, file);
      await writeFile(file, original);
      await app.reload();
      assert.equal(await warnings(), []);
    },
  );

  test('a plugin adds what it knows to the warnings', async () => {
    const advice = {
      kind: 'advice',
      key: 'adviser.age',
      message: 'nothing grows younger',
    } as const;
    const adviser = definePlugin({
      name: 'adviser',
      version: '1.0.0',
      setup: ({ hooks }) => hooks.warnings.tap((found) => void found.push(advice)),
    });
    const advised = await bootForTest(
      ['token', 'server-info', adviser],
      { allowed_hosts: [] },
      { dialect },
    );
    const answer = await advised.call('svc-server_config_warnings', [advised.superToken]);
    await advised.stop();
    assert.equal(answer.warnings, [advice]);
  });

  test('edit_config replaces the target of a symbolic link, not the link', async () => {
    const target = join(app.dir, 'real.toml');
    await rename(file, target);
    await symlink(target, file);
    assert.is(await edit(`${original}# edited\n`), true);
    assert.ok((await lstat(file)).isSymbolicLink());
    assert.is(await readFile(target, 'utf8'), `${original}# edited\n`);
  });

  for (const [name, line, kept] of autoGenCases) {
    test(`edit_config puts the current UUID in the place of auto_gen: ${name}`, async () => {
      const uuid = await app.call('svc-server_uuid');
      const rest = `# before\n${original.replace(uuidLine, '').trimStart()}`;
      assert.is(await edit(`${line}\n${rest}`), true);
      assert.is(await readFile(file, 'utf8'), `${kept(uuid)}\n${rest}`);
      assert.is(await app.call('svc-server_uuid'), uuid);
    });
  }

  test('edit_config answers first, then closes the WebSocket with 1001', async () => {
    const socket = await app.connect();
    assert.is(
      await socket.call('svc-server_edit_config', [app.superToken, `${original}# x\n`]),
      true,
    );
    const { code } = await socket.closed;
    assert.is(code, 1001);
    assert.is(await app.call('svc-server_hello'), 'svc Server Is Running!');
  });

  test('a changed UUID is in force after the reload', async () => {
    const uuid = '7d0f3a5e-2f4b-4f0e-8a55-0f6f2f1a9e20';
    await edit(original.replace(uuidLine, `server_uuid = "${uuid.toUpperCase()}"`));
    await eventually('the new UUID', async () => (await app.call('svc-server_uuid')) === uuid);
    assert.match(await (await app.fetch('/')).text(), uuid);
  });

  test('the time limit of exec_sql follows the reload', async () => {
    await edit(`${original}\n[server-info]\nexec_sql_timeout_ms = 1\n`);
    // Half a second or more of work.
    const sql = {
      sqlite: `select count(*) from (${numbers(1, 3_000_000)})`,
      postgres: 'select pg_sleep(1)',
    }[dialect];
    const exec = () => app.call('svc-server_exec_sql', [app.superToken, sql]);
    await eventually('the new limit', () =>
      exec().then(
        () => false,
        ({ code }) => code === 999,
      ),
    );
  });

  test('the port moves: the new one answers, the old one is gone', async () => {
    const before = app.url;
    const port = await freePort();
    assert.is(
      await edit(original.replace(listenerLine, `ws_listener = "127.0.0.1:${port}"`)),
      true,
    );
    const reachable = (url: string) =>
      fetch(url).then(
        (answer) => answer.ok,
        () => false,
      );
    await eventually('the new port', () => reachable(`http://127.0.0.1:${port}/`));
    await eventually('the end of the old port', async () => !(await reachable(before)));
  });

  test('concurrent edits leave one whole text and no temporary file', async () => {
    const texts = Array.from({ length: 8 }, (_, at) => `# edit ${at}\n${original}`);
    const results = await Promise.all(texts.map(edit));
    assert.equal(
      results,
      texts.map(() => true),
    );
    assert.ok(texts.includes(await readFile(file, 'utf8')));
    assert.equal(await leftovers(), []);
    assert.is(await app.call('svc-server_hello'), 'svc Server Is Running!');
  });

  refusals.run();
  test.run();
}
