// proof only: 10
/** The files of `deploy/proxies` in front of a server: real programs, TLS, and what a proxy easily breaks. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { request } from 'node:https';
import { connect } from 'node:net';
import { join, resolve } from 'node:path';
import { bootForTest, type TestApp } from '@svc/plugin-sdk/testing';
import * as assert from 'uvu/assert';
import { WebSocket } from 'ws';
import { freePort } from './ports.ts';
import { until } from './process/havoc.ts';
import { killAtExit } from './process/server.ts';
import { basicOf, PLUGINS, ROOT } from './protocol/webdav-kit.ts';
import { suite } from './runner/suite.ts';

const root = resolve(import.meta.dirname, '..');
const cert = join(root, 'test/fixtures/tls-cert.pem');
const key = join(root, 'test/fixtures/tls-key.pem');
const HOST = 'fleet.example.net';
/** Where clients come from; the proxies are on 127.0.0.1. */
const CLIENT = '127.0.0.7';
const LARGE = 50 * 2 ** 20;

interface Proxy {
  readonly program: string;
  /** Writes its configuration into `dir`: the file of `deploy/proxies` on another port. @returns arguments */
  readonly configure: (dir: string, port: number, server: string) => string[];
}

const shipped = (name: string) => readFileSync(join(root, 'deploy/proxies', name), 'utf8');

/** The text with each replacement made once; a text that lacks one of them is a failure. */
function edited(text: string, replacements: readonly (readonly [string, string])[]): string {
  return replacements.reduce((whole, [from, to]) => {
    assert.ok(whole.includes(from), `the file has ${from}`);
    return whole.replace(from, () => to);
  }, text);
}

const proxies: readonly Proxy[] = [
  {
    program: 'nginx',
    configure(dir, port, server) {
      const site = edited(shipped('nginx.conf'), [
        ['server 127.0.0.1:2211;', `server ${server};`],
        ['listen 443 ssl', `listen 127.0.0.1:${port} ssl`],
        ['/etc/svc/fullchain.pem', cert],
        ['/etc/svc/privkey.pem', key],
        ['/var/log/nginx', dir],
      ]);
      writeFileSync(join(dir, 'site.conf'), site);
      const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
        .map((part) => `${part}_temp_path ${dir}/${part};`)
        .join(' ');
      const file = join(dir, 'nginx.conf');
      const main = `daemon off; pid ${dir}/pid; error_log stderr; events {}\n`;
      writeFileSync(file, `${main}http { ${temporary} include ${dir}/site.conf; }\n`);
      return ['-e', 'stderr', '-p', dir, '-c', file];
    },
  },
  {
    program: 'caddy',
    configure(dir, port, server) {
      const site = edited(shipped('Caddyfile'), [
        ['127.0.0.1:2211 {', `${server} {`],
        [`\n${HOST} {`, `\nhttps://${HOST}:${port} {\n\tbind 127.0.0.1\n\ttls ${cert} ${key}\n`],
      ]);
      const file = join(dir, 'Caddyfile');
      writeFileSync(file, `{\n\tadmin off\n\tauto_https disable_redirects\n}\n${site}`);
      return ['run', '--config', file, '--adapter', 'caddyfile'];
    },
  },
];

const folders = [...(process.env['PATH'] ?? '').split(':'), '/usr/sbin'];
const pathOf = (program: string) =>
  folders.map((folder) => join(folder, program)).find((path) => existsSync(path));

const suiteOf = suite('proxies');
let app: TestApp;
suiteOf.before(async () => {
  const plugins = [...PLUGINS, 'audit'];
  app = await bootForTest(plugins, { trusted_proxies: ['127.0.0.1'], allowed_hosts: [HOST] });
  await app.call('static-bucket_create', [app.superToken, 'b', 'b', false, false]);
});
suiteOf.after(() => app.stop());

const isOpen = (port: number) =>
  new Promise<boolean>((done) => {
    const socket = connect(port, '127.0.0.1');
    socket.on('connect', () => done(true)).on('error', () => done(false));
    socket.on('connect', () => socket.destroy());
  });

async function startProxy({ program, configure }: Proxy, path: string) {
  const dir = join(app.dir, program);
  mkdirSync(dir);
  const port = await freePort();
  const env = { ...process.env, HOME: dir, XDG_DATA_HOME: dir, XDG_CONFIG_HOME: dir };
  const args = configure(dir, port, new URL(app.url).host);
  const child = spawn(path, args, { env, stdio: ['ignore', 'pipe', 'pipe'] });
  killAtExit(child);
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (text) => {
      output += text;
    });
  await until('the proxy', async () => {
    assert.is(child.exitCode, null, output);
    return isOpen(port);
  });
  return { child, port };
}

async function stopProxy(child: ChildProcess): Promise<void> {
  const closed = once(child, 'close');
  child.kill('SIGTERM');
  await closed;
}

const reach = (port: number) => ({
  host: '127.0.0.1',
  port,
  servername: HOST,
  rejectUnauthorized: false,
  localAddress: CLIENT,
});

type Headers = Record<string, string | number>;

/** One request; `part`: only so many bytes of the body are sent before the answer. */
function send(
  port: number,
  method: string,
  path: string,
  {
    headers = {},
    body,
    part,
  }: { headers?: Headers; body?: Uint8Array | string; part?: number } = {},
): Promise<{ status: number; bytes: Buffer }> {
  return new Promise((done, fail) => {
    const length = body === undefined ? {} : { 'content-length': Buffer.byteLength(body) };
    const options = { ...reach(port), method, path, agent: false };
    const sent = request(
      { ...options, headers: { host: HOST, ...length, ...headers } },
      (answer) => {
        const chunks: Buffer[] = [];
        answer.on('data', (chunk) => chunks.push(chunk)).on('error', fail);
        const end = () => {
          done({ status: answer.statusCode ?? 0, bytes: Buffer.concat(chunks) });
          if (part !== undefined) sent.destroy();
        };
        if (part === undefined) answer.on('end', end);
        else end();
      },
    );
    sent.on('error', fail);
    if (part === undefined) sent.end(body);
    else sent.write(Buffer.from(body ?? '').subarray(0, part));
  });
}

/** What a server behind this proxy has to see, in the order in which it is asked. */
const promises: readonly (readonly [string, (port: number) => Promise<void>])[] = [
  [
    'sockets pass',
    async (port) => {
      const { host, ...tls } = reach(port);
      const url = `wss://${host}:${port}/svc/rpc`;
      const socket = new WebSocket(url, { ...tls, headers: { Host: HOST } });
      await once(socket, 'open');
      socket.send('{"jsonrpc":"2.0","id":1,"method":"svc-server_hello","params":[]}');
      const [text] = await once(socket, 'message');
      assert.ok('result' in JSON.parse(String(text)));
      socket.close();
      await once(socket, 'close');
    },
  ],
  [
    'the address of the client counts, and not what it says of itself',
    async (port) => {
      const name = `bucket-${port}`;
      const params = [app.superToken, name, name, false, false];
      const call = { jsonrpc: '2.0', id: 1, method: 'static-bucket_create', params };
      const headers = { 'content-type': 'application/json', 'x-forwarded-for': '198.51.100.9' };
      const { bytes } = await send(port, 'POST', '/svc/rpc', {
        headers,
        body: JSON.stringify(call),
      });
      assert.ok('result' in JSON.parse(String(bytes)), String(bytes));
      const query = { method: 'static-bucket_create' };
      const { rows } = (await app.call('audit_query', [app.superToken, query, 1])) as any;
      assert.is(rows[0].target, name);
      assert.is(rows[0].address, CLIENT);
    },
  ],
  [
    'an upload is passed on while it comes: a refusal is there before its end',
    async (port) => {
      const body = Buffer.alloc(LARGE);
      const { status } = await send(port, 'PUT', `${ROOT}/b/x.bin`, { body, part: 100_000 });
      assert.is(status, 401);
    },
  ],
  [
    '50 MB go up, and come down as they were',
    async (port) => {
      const headers = { authorization: basicOf(app.superToken) };
      const body = Buffer.alloc(LARGE, `${port} `);
      const put = await send(port, 'PUT', `${ROOT}/b/${port}.bin`, { headers, body });
      assert.is(put.status, 201);
      const { bytes } = await send(port, 'GET', `${ROOT}/b/${port}.bin`, { headers });
      assert.ok(bytes.equals(body));
    },
  ],
  [
    'a WebDAV drive renames: Destination has the name that the client sees',
    async (port) => {
      const authorization = basicOf(app.superToken);
      const destination = `https://${HOST}${ROOT}/b/renamed-${port}.bin`;
      const headers = { authorization, destination };
      assert.is((await send(port, 'MOVE', `${ROOT}/b/${port}.bin`, { headers })).status, 201);
      assert.ok(existsSync(join(app.dir, 'static/b', `renamed-${port}.bin`)));
    },
  ],
];

for (const proxy of proxies) {
  const path = pathOf(proxy.program);
  if (path === undefined) process.stdout.write(`  skipped: ${proxy.program} not installed\n`);
  (path ? suiteOf : suiteOf.skip)(`${proxy.program}, as the file configures it`, async () => {
    const { child, port } = await startProxy(proxy, path ?? '');
    try {
      for (const [what, holds] of promises) {
        await holds(port).catch((error) => {
          throw new Error(`${what}: ${error.message}`, { cause: error });
        });
      }
    } finally {
      await stopProxy(child);
    }
  });
}

suiteOf.run();
