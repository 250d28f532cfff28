// The command `doctor` on machines with prepared faults: clock, disk, files, and what answers at the address.
// proof only: 10
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, chownSync, mkdirSync, writeFileSync } from 'node:fs';
import { createServer as createHttpServer } from 'node:http';
import { createServer, type Server } from 'node:net';
import { join } from 'node:path';
import * as assert from 'uvu/assert';
import { selfSigned } from '../agent-program-certificate.ts';
import { makePlace, type Place } from '../process/place.ts';
import { suite } from '../runner/suite.ts';
import { change, examine, list, type Machine, problems, run, tells } from './doctor-kit.ts';

const test = suite('doctor on machines with faults');
// Fewer plugins are loaded sooner.
const FEW = 'plugins = ["token", "audit"]';
const DAY_MS = 86_400_000;
const isRoot = process.getuid?.() === 0;

/** The program takes this for the time of the machine. */
function clock(time: string): Machine {
  const code = `const { now } = Date; Date.now = () => ${time}`;
  return { env: { NODE_OPTIONS: `--import data:text/javascript,${encodeURIComponent(code)}` } };
}

function useCertificate(place: Place, until?: string): void {
  const { dir } = place.site;
  const { cert, key } = selfSigned('a', until);
  writeFileSync(join(dir, 'cert.pem'), cert);
  writeFileSync(join(dir, 'key.pem'), key, { mode: 0o600 });
  change(place, (text) => `tls_cert = "${dir}/cert.pem"\ntls_key = "${dir}/key.pem"\n${text}`);
}

const logTo = (place: Place, file: string) =>
  change(place, (text) => `${text}\n[logging]\njson_log_file = "${join(place.site.dir, file)}"\n`);

/** The tables of the plugins that the configuration has. */
async function init({ site }: Pick<Place, 'site'>): Promise<void> {
  assert.is((await run(['init', '-c', site.config], site.dir)).code, 0);
}

const withMetrics = (place: Place, listener: string) =>
  change(place, (text) =>
    `${text}\n[metrics]\nlistener = "${listener}"\n`.replace('"audit"', '"audit", "metrics"'),
  );

/** undefined: a file system of its own can be mounted here without rights. */
function cannotMount(): string | undefined {
  const { status } = spawnSync('unshare', ['-rm', 'mount', '-t', 'tmpfs', 'tmpfs', '/mnt']);
  return status === 0 ? undefined : 'no file system can be mounted here';
}

interface Fault {
  readonly name: string;
  readonly dialect?: 'postgres';
  /** Why it cannot be prepared on this machine. */
  readonly skip?: string | undefined;
  readonly prepare: (place: Place) => Machine | Promise<Machine>;
  readonly tells: RegExp[];
  readonly problems: number;
}

const faults: readonly Fault[] = [
  {
    name: 'a clock that stands before the program and its certificate',
    prepare: (place) => {
      useCertificate(place);
      return clock('Date.UTC(2019, 0)');
    },
    tells: [
      /^clock problem: It is 2019-01-01T00:00:00\.000Z, before this program was installed\. → Let the machine follow NTP/,
      /^listeners problem: The certificate \S+cert\.pem is valid from Jan {2}1 00:00:00 2020 GMT on only\. → Look at the clock, or wait/,
    ],
    problems: 2,
  },
  {
    name: 'a clock that NTP does not keep, a certificate that ends soon, and a log in a folder that is none',
    prepare: (place) => {
      const { dir } = place.site;
      const soon = new Date(Date.now() + 5 * DAY_MS).toISOString();
      useCertificate(place, `${soon.replace(/[-:T]/g, '').slice(2, 14)}Z`);
      writeFileSync(join(dir, 'file'), '');
      logTo(place, 'file/server.log');
      mkdirSync(join(dir, 'bin'));
      writeFileSync(join(dir, 'bin/timedatectl'), '#!/bin/sh\necho no\n', { mode: 0o755 });
      return { env: { PATH: `${join(dir, 'bin')}:${process.env['PATH']}` } };
    },
    tells: [
      /^clock advice: It is \S+; no NTP server confirms that\. → Let the machine follow NTP/,
      /^listeners advice: The certificate \S+cert\.pem is valid until .* GMT\. → Put a new certificate there/,
      /^permissions problem: logging\.json_log_file: nothing can be written into \S+\/file: it is no folder\. → Give the folder/,
    ],
    problems: 1,
  },
  {
    name: 'the clock of another machine has the database',
    dialect: 'postgres',
    prepare: () => clock('now() + 3_600_000'),
    tells: [
      /^clock problem: The clock of the database is 3[56]\d\d s behind this machine's\. → Let both machines follow NTP/,
    ],
    problems: 1,
  },
  {
    name: 'a disk that is nearly full',
    skip: cannotMount(),
    prepare: (place) => {
      const small = join(place.site.dir, 'small');
      mkdirSync(small);
      logTo(place, 'small/server.log');
      return { mounts: `mount -t tmpfs -o size=8m tmpfs '${small}'` };
    },
    tells: [
      /^disk problem: logging\.json_log_file: 8\.4 MB of 8\.4 MB are free on the disk of \S+\/small\. → Free some room/,
    ],
    problems: 1,
  },
  {
    name: 'a database that others can open, and that belongs to another user',
    skip: isRoot ? undefined : 'only root can give a file away',
    prepare: async ({ site }) => {
      const file = join(site.dir, 'svc.db');
      await init({ site });
      chmodSync(file, 0o644);
      chownSync(file, 65_534, 65_534);
      return {};
    },
    tells: [
      /^permissions advice: Other users of this machine can open \S+svc\.db\. → chmod 600 /,
      /^permissions advice: \S+svc\.db belongs to user 65534, and this command runs as 0: .*→ Run it as the user of the service/,
    ],
    problems: 0,
  },
  {
    name: 'metrics for everybody at an address of another machine',
    prepare: async (place) => {
      await init(place);
      withMetrics(place, '192.0.2.1:9464');
      return {};
    },
    tells: [
      /^listeners advice: \[metrics\] listener: whoever reaches 192\.0\.2\.1:9464 reads all metrics\. → Listen on 127\.0\.0\.1/,
      /^listeners problem: \[metrics\] listener: listen EADDRNOTAVAIL.*\. → Name an address of this machine/,
    ],
    problems: 1,
  },
  {
    name: 'metrics at what is no address',
    prepare: async (place) => {
      await init(place);
      withMetrics(place, 'localhost:9464');
      return {};
    },
    tells: [
      /^listeners problem: \[metrics\] listener: 'localhost:9464' is no address such as .* → Name an address/,
    ],
    problems: 1,
  },
];

const skipped = (name: string, reason: string) => {
  process.stdout.write(`  skipped: ${name}: ${reason}\n`);
  test.skip(name, () => {});
};

for (const { name, dialect = 'sqlite', skip, prepare, tells: wanted, problems: count } of faults) {
  if (skip !== undefined) skipped(name, skip);
  else
    test(name, async () => {
      const place = await makePlace(dialect, { head: FEW });
      try {
        const found = await examine(place, 'doctor', await prepare(place));
        tells(found, ...wanted);
        assert.is(problems(found).length, count, list(found).join('\n'));
      } finally {
        await place.remove();
      }
    });
}

const OWN = '5d1c0b1e-54f4-4c8d-8a5e-1a2b3c4d5e6f';
const OTHER = '6d1c0b1e-54f4-4c8d-8a5e-1a2b3c4d5e6f';
/** Answers the two questions of `doctor` as a server does. */
const server = (uuid: string, version: string): Server =>
  createHttpServer(async (request, response) => {
    const text = Buffer.concat(await request.toArray()).toString();
    const result = text.includes('_uuid') ? uuid : { server_version: version };
    response.end(JSON.stringify({ jsonrpc: '2.0', id: 1, result }));
  });

// biome-ignore format: one case per line
const answers: [name: string, make: () => Server, tells: RegExp, problems: number][] = [
  ['a program that takes connections and never answers', () => createServer(() => {}), /^listeners problem: \S+ is taken by another program\. → End that program/, 1],
  ['another server', () => server(OTHER, '0.6.0'), new RegExp(`^listeners problem: \\S+ is taken by the server ${OTHER}\\. → End that program`), 1],
  ['this server in another version', () => server(OWN, '0.5.9'), /^listeners advice: This server answers at \S+, version 0\.5\.9\. → This program is \S+: restart the service to run it/, 0],
];
for (const [name, make, wanted, count] of answers)
  test(`at the address answers ${name}`, async () => {
    const place = await makePlace('sqlite', { head: FEW });
    change(place, (text) => text.replace('auto_gen', OWN));
    const sockets = new Set<{ destroy(): void }>();
    const other = make().on('connection', (socket) => sockets.add(socket));
    other.listen(Number(new URL(place.site.url).port), '127.0.0.1');
    await once(other, 'listening');
    try {
      const found = await examine(place);
      tells(found, wanted);
      assert.is(problems(found).length, count, list(found).join('\n'));
    } finally {
      for (const socket of sockets) socket.destroy();
      other.close();
      await place.remove();
    }
  });

test.run();
