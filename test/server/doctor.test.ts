// The commands `doctor` and `upgrade-check`, run as programs on installations with prepared faults.
// proof only: 20
import { once } from 'node:events';
import {
  chmodSync,
  openSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import pg from 'pg';
import * as assert from 'uvu/assert';
import { selfSigned } from '../agent-program-certificate.ts';
import { makePlace, type Place } from '../process/place.ts';
import { report } from '../process/reports.ts';
import { rpc, startServer, superToken } from '../process/server.ts';
import { suite } from '../runner/suite.ts';
import { change, examine, list, problems, run, tells } from './doctor-kit.ts';

interface Fault {
  readonly name: string;
  readonly prepare: (place: Place) => unknown;
  readonly tells: RegExp[];
  /** How many problems there are: a fault does not hide others, and makes no others up. */
  readonly problems: number;
}

const faults: readonly Fault[] = [
  {
    name: 'a new installation has no problem, and its database is made by the first start',
    prepare: ({ site }) => chmodSync(site.config, 0o600),
    tells: [
      /^configuration ok: The file can be read; it asks for \d+ plugins\./,
      /^listeners ok: No server runs; 127\.0\.0\.1:\d+ is free\./,
      /^database ok: \S+\/svc\.db does not exist yet; the first start makes it\./,
      /^permissions ok: Only its owner can open/,
    ],
    problems: 0,
  },
  {
    name: 'a text that is no TOML is told with its line, and nothing else is looked at',
    prepare: (place) => change(place, (text) => `${text}\nbroken = \n`),
    tells: [/^configuration problem: broken: .*\(line \d+, column \d+\)\. → Correct it in /],
    problems: 1,
  },
  {
    name: 'each wrong key of the head is told',
    prepare: (place) =>
      change(place, (text) => `shutdown_timeout_ms = "x"\n${text.replace('auto_gen', 'x')}`),
    tells: [
      /^configuration problem: server_uuid: must be/,
      /^configuration problem: shutdown_timeout_ms: must be/,
    ],
    problems: 2,
  },
  {
    name: 'a section that its plugin does not take leaves the database to be looked at; keys that nothing reads are told',
    prepare: (place) =>
      change(place, (text) => `allowed_host = ["x"]\n${text}\n[audit]\nkeep_days = -1\n`),
    tells: [
      /^configuration problem: \[audit\] keep_days: .*\(line \d+\)/,
      /^database ok: .*first start makes it/,
    ],
    problems: 1,
  },
  {
    name: 'a plugin that is not there is named',
    prepare: (place) => change(place, (text) => text.replace('"audit"', '"wether"')),
    tells: [/^configuration problem: Plugin 'wether': neither a built-in plugin/],
    problems: 1,
  },
  {
    name: 'a configuration that others can change, and a certificate that has ended',
    prepare: (place) => {
      const { dir } = place.site;
      const { cert, key } = selfSigned('old', '210101000000Z');
      writeFileSync(join(dir, 'cert.pem'), cert);
      writeFileSync(join(dir, 'key.pem'), key, { mode: 0o644 });
      change(place, (text) => `tls_cert = "${dir}/cert.pem"\ntls_key = "${dir}/key.pem"\n${text}`);
      chmodSync(place.site.config, 0o666);
    },
    tells: [
      /^permissions problem: Other users of this machine can change .*server\.toml/,
      /^permissions advice: Other users of this machine can read .*key\.pem.*chmod 600/,
      /^listeners problem: The certificate \S+cert\.pem is valid until Jan {2}1 00:00:00 2021 GMT: it has ended/,
    ],
    problems: 2,
  },
  {
    name: 'a certificate with the key of another one, and an address of another machine',
    prepare: (place) => {
      const { dir } = place.site;
      writeFileSync(join(dir, 'cert.pem'), selfSigned('a').cert);
      writeFileSync(join(dir, 'key.pem'), selfSigned('b').key, { mode: 0o600 });
      change(
        place,
        (text) =>
          `tls_cert = "${dir}/cert.pem"\ntls_key = "${dir}/key.pem"\n${text.replace('127.0.0.1:', '192.0.2.1:')}`,
      );
    },
    tells: [
      /^listeners problem: tls_cert, tls_key: .*→ Give the paths/,
      /^listeners problem: 192\.0\.2\.1:\d+ (?:cannot be listened on|is taken)/,
    ],
    problems: 2,
  },
  {
    name: 'a file that is no database',
    prepare: ({ site }) => writeFileSync(join(site.dir, 'svc.db'), 'no database\n'.repeat(999)),
    tells: [/^database problem: .*svc\.db: it is damaged, or no SQLite database/],
    problems: 1,
  },
  {
    name: 'a Postgres server that is not there is told without the password, beside advice about the rest',
    prepare: (place) =>
      change(
        place,
        (text) =>
          `allowed_host = ["x"]\n${text
            .replace(/database_url = .*/, 'database_url = "postgres://svc:geheim@127.0.0.1:1/x"')
            .replace('"127.0.0.1:', '"0.0.0.0:')}`,
      ),
    tells: [
      /^database problem: database\.database_url: Postgres does not answer at 127\.0\.0\.1:1 \((?!.*geheim).*→ Correct/,
      /^listeners advice: 0\.0\.0\.0:\d+ is open to the network without TLS/,
      /^configuration advice: Unknown configuration key 'allowed_host' ignored; did you mean 'allowed_hosts'\? → Correct/,
    ],
    problems: 1,
  },
];

const FEW = 'plugins = ["token", "audit"]';
const test = suite('doctor on prepared faults');
for (const { name, prepare, tells: wanted, problems: count } of faults)
  test(name, async () => {
    // Fewer plugins are loaded sooner.
    const place = await makePlace('sqlite', { head: FEW });
    try {
      prepare(place);
      const before = readdirSync(place.site.dir);
      const found = await examine(place);
      tells(found, ...wanted);
      assert.is(problems(found).length, count, list(found).join('\n'));
      assert.equal(readdirSync(place.site.dir), before);
    } finally {
      await place.remove();
    }
  });

test('a server of another brand is asked what its clients do with a leading slash, until it says', async () => {
  const SLASH =
    /^configuration advice: static-bucket-file_\* refuse a path that begins with a slash \(108\).*→ Write leading_slash = "strip"/;
  const brand = '[brand]\nword = "acme"\n';
  const decided = '[static-bucket-file]\nleading_slash';
  const cases: [added: string, isTold: boolean][] = [
    ['', false],
    [brand, true],
    [`${brand}${decided} = "strip"\n`, false],
    [`${brand}${decided} = "reject"\n`, false],
  ];
  for (const [added, isTold] of cases) {
    const place = await makePlace('sqlite', {
      head: 'plugins = ["token", "static-bucket", "static-bucket-file"]',
    });
    try {
      change(place, (text) => `${text}\n${added}`);
      const made = await run(['init', '-c', place.site.config], place.site.dir);
      assert.is(made.code, 0, made.err);
      for (const command of ['doctor', 'upgrade-check'] as const) {
        const lines = list(await examine(place, command));
        assert.is(
          lines.filter((line) => SLASH.test(line)).length,
          isTold ? 1 : 0,
          lines.join('\n'),
        );
      }
    } finally {
      await place.remove();
    }
  }
});

test('an address that another program has is told, and the report is for people to read', async () => {
  const place = await makePlace('sqlite', { head: FEW });
  const other = createServer((socket) => socket.end('hello\n'));
  other.listen(Number(new URL(place.site.url).port), '127.0.0.1');
  await once(other, 'listening');
  try {
    const { code, out } = await run(['doctor', '-c', place.site.config], place.site.dir);
    assert.is(code, 1);
    const [port] = /\d+$/.exec(place.site.url) ?? [];
    assert.match(out, `\nlisteners      PROBLEM  127.0.0.1:${port} is taken by another program.\n`);
    assert.match(
      out,
      '\n                        → End that program (ss -ltnp names it), or change',
    );
    assert.match(out, /\n\n1 problem, \d pieces? of advice\.\n$/);
    assert.ok(
      out
        .split('\n')
        .slice(1)
        .every((line) => line.length <= 110 || !line.includes(' ')),
    );
  } finally {
    other.close();
    await place.remove();
  }
});

test('a file is wanted, in the usual places, too', async () => {
  const place = await makePlace('sqlite', { head: FEW });
  const missing = await run(['doctor', '-c', 'missing.toml', '--json'], place.site.dir);
  assert.is(missing.code, 1);
  assert.match(JSON.parse(missing.out).findings[1].message, /missing\.toml/);
  assert.is((await run(['doctor'], place.site.dir)).code, 2);
  await place.remove();
});
test.run();

const AGENT = '0b6f1c52-7a35-4d0e-9c1b-52d3a8e0f411';
const OTHER_AGENT = '1b6f1c52-7a35-4d0e-9c1b-52d3a8e0f411';

for (const dialect of ['sqlite', 'postgres'] as const) {
  const used = suite(`doctor on a database that was used (${dialect})`);
  let place: Place;
  const sql = async (text: string) => {
    if (dialect === 'sqlite') {
      new Sqlite(join(place.site.dir, 'svc.db')).exec(text).close();
      return;
    }
    const { site } = place;
    const [, connectionString = ''] =
      /database_url = "(.*)"/.exec(readFileSync(site.config, 'utf8')) ?? [];
    const client = new pg.Client({ connectionString });
    await client.connect();
    await client.query(text);
    await client.end();
  };

  used.before(async () => {
    const plugins = [
      ...['egress', 'notify'],
      'token',
      'server-info',
      'agent-uuid',
      'agent',
      'agent-events',
      'admission',
      'kv',
    ];
    const head = 'allowed_hosts = ["localhost"]\ntrusted_proxies = ["10.0.0.0/8", "0.0.0.0/0"]';
    place = await makePlace(dialect, {
      head: `plugins = ${JSON.stringify(plugins)}\n${head}\nenable_unix_socket = true\nunix_socket_path = "s.sock"`,
    });
  });
  used.after(() => place?.remove());

  used('beside a running server it says so, and changes nothing', async () => {
    const { site } = place;
    const server = await startServer(site);
    const socket = join(site.dir, 's.sock');
    const mode = statSync(socket).mode;
    const send = (token: string, uuid = AGENT) =>
      rpc(site.url, 'agent_report_dynamic_summary', [token, report('summary', uuid, Date.now())]);
    const token = superToken(server.output());
    for (const uuid of [AGENT, OTHER_AGENT]) assert.ok('result' in (await send(token, uuid)));
    assert.ok('error' in (await send('0123456789abcdef:0123456789abcdef0123456789abcdef')));
    const found = await examine(place);
    tells(
      found,
      /^listeners ok: This server answers at 127\.0\.0\.1:\d+, version \d+\.\d+\.\d+\./,
      /^proxies problem: trusted_proxies has 0\.0\.0\.0\/0: every client may claim/,
      /^migrations ok: All \d+ steps of the schema were applied/,
      dialect === 'sqlite'
        ? /^servers ok: A server is running on this database/
        : /^servers ok: A server runs on this database: from \S+, version \d/,
      dialect === 'sqlite'
        ? /^database ok: SQLite, .* its structure is sound/
        : /^database ok: Postgres \d+.*; it can be written/,
    );
    if (dialect === 'sqlite') {
      // The tables of a new server stand beside the file until it is written into the file.
      const written = join(place.site.dir, 'svc.db-wal');
      assert.ok(statSync(written).size > 100_000);
      const said = list(found).join('\n');
      const [, told = ''] = /^database ok: SQLite, (.*) in /m.exec(said) ?? [];
      assert.match(said, `A copy of the database takes up to ${told}:`);
      assert.match(told, / MB$|^[1-9][0-9]{2} kB$/);
    }
    assert.is(statSync(socket).mode, mode);
    assert.is((await server.end('SIGTERM')).code, 0);
  });

  used(
    'an agent that is refused is named, with the reason and what to do; so is a proxy before all of them',
    async () => {
      // A server compares the addresses of agents every 30 s.
      await sql(
        "insert into agent_presence (uuid_id, address) select id, '127.0.0.1' from monitoring_uuid where true on conflict (uuid_id) do update set address = excluded.address",
      );
      const found = await examine(place);
      tells(
        found,
        new RegExp(
          `^agents (?:problem|advice): A report of ${AGENT}.*was refused \\d+ min ago.*→ Its token is wrong`,
        ),
        /^listeners ok: No server runs/,
        /^servers ok: No server is running/,
        /^configuration ok: The key of the secrets of channels is /,
        /^proxies advice: All 2 agents seem to report from 127\.0\.0\.1: .*→ If so, list it: trusted_proxies = \["127\.0\.0\.1"\]/,
      );
      assert.not.match(list(found).join('\n'), /is not read yet/);
    },
  );

  used('steps that are still to come are advice; unknown breaking ones are a problem', async () => {
    await sql(
      "delete from schema_migrations where plugin = 'agent-events' and name = '0002-refusals'",
    );
    const due = await examine(place, 'upgrade-check');
    tells(
      due,
      /^migrations advice: .* applies 1 of \d+ steps: 'agent-events 0002-refusals'\. → Back up first .*older versions open/,
    );
    assert.ok(due.ok);
    await sql("insert into schema_migrations values ('kv', '0099-new', 1, 0)");
    const newer = await examine(place, 'upgrade-check');
    tells(
      newer,
      /^migrations problem: A newer version has changed this database: 'kv 0099-new'\. → This version refuses it/,
    );
    assert.not(newer.ok);
  });

  if (dialect === 'sqlite')
    used('a page that was overwritten is found', async () => {
      const file = openSync(join(place.site.dir, 'svc.db'), 'r+');
      for (const page of [20, 21, 22, 23])
        writeSync(file, Buffer.alloc(4096, 'x'), 0, 4096, page * 4096);
      tells(
        await examine(place),
        /^database problem: .*svc\.db is damaged: .*→ Stop the server, keep a copy/,
      );
    });

  used.run();
}
