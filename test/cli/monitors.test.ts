/** `svc monitors`, and monitors that are kept in a file. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { bootForTest, type TestApp } from '@svc/plugin-sdk/testing';
import * as assert from 'uvu/assert';
import { parse } from 'yaml';
import { main } from '../../cli/src/main.ts';
import { blocksOf, root } from '../documentation-kit.ts';
import { eventually } from '../protocol/token-kit.ts';
import { suite } from '../runner/suite.ts';

const test = suite('svc: monitors');
let app: TestApp;
let web: Server;
let url = '';
let dir = '';
/** Authorization of the last request that brought some. */
let seen = '';
let env: Record<string, string> = {};

test.before(async () => {
  dir = mkdtempSync(join(tmpdir(), 'svc-cli-'));
  env = { XDG_CONFIG_HOME: dir, SHOP_TOKEN: 'bearer of a test' };
  web = createServer((request, response) => {
    seen = request.headers.authorization ?? seen;
    response.statusCode = request.url === '/bad' ? 500 : 200;
    response.end('fine');
  });
  await new Promise<void>((done) => web.listen(0, '127.0.0.1', done));
  url = `http://127.0.0.1:${(web.address() as AddressInfo).port}/`;
  app = await bootForTest(undefined);
  assert.is((await svc(['login', app.url], `${app.superToken}\n`)).code, 0);
});
test.after(async () => {
  await app.stop();
  web.close();
  rmSync(dir, { recursive: true, force: true });
});

async function svc(args: string[], input = '', isTTY = false) {
  const collect = () => {
    let text = '';
    const stream = Object.assign(new PassThrough(), { isTTY, columns: 160 });
    stream.on('data', (part) => {
      text += part;
    });
    return { stream, text: () => text };
  };
  const [out, err] = [collect(), collect()];
  const stdin = new PassThrough();
  stdin.end(input);
  const code = await main(args, { stdin, stdout: out.stream, stderr: err.stream, env });
  return { code, out: out.text(), err: err.text() };
}

const write = (text: string, name = 'monitors.yaml') => {
  writeFileSync(join(dir, name), text);
  return join(dir, name);
};

const wrong: [target: string, says: RegExp][] = [
  ['', /^svc: TARGET is empty\n$/],
  ['localhost:99999', /'99999' is no port: ports are numbers from 1 to 65535/],
  ['tcp:example.net', /write the port behind it, for example tcp:example\.net:443/],
  ['ftp://x/y', /ftp: is not checked; give a URL of http or https, host:port/],
  ['ping:db:80', /behind ping: stands a host alone/],
  ['two words', /'two words' is neither a host nor an address/],
  ['https://', /it is not written to its end/],
  ['group:x', /a group asks nobody: make it with svc monitors apply FILE/],
  ['heartbeat', /a heartbeat asks nobody: .*a host of this name is ping:heartbeat/],
];
for (const [target, says] of wrong)
  test(`'${target}' is refused with words, and neither tried nor added`, async () => {
    for (const verb of ['try', 'add']) {
      const { code, out, err } = await svc(['monitors', verb, target]);
      assert.equal([code, out], [2, '']);
      assert.match(err, says);
    }
    assert.equal((await app.call('monitor_list', [app.superToken])).monitors, []);
  });

test('an empty name is refused with words', async () => {
  for (const words of [[''], ['delete', ' '], ['check', '']]) {
    const { code, err } = await svc(['monitors', ...words]);
    assert.equal([code, err], [2, 'svc: NAME is empty: svc monitors lists the names\n']);
  }
});

test('a dry run of add says what it would make, and makes nothing', async () => {
  const { out, err } = await svc(['monitors', 'add', 'db:5432', '--dry-run']);
  assert.equal([out, err], ['db:5432 would be checked by tcp every 60 s\n', '']);
  assert.equal((await app.call('monitor_list', [app.superToken])).monitors, []);
});

const unread: [line: string, says: string][] = [
  ['monitors export --group Shop', 'svc monitors export does not take --group; it takes: --json'],
  ['monitors add db:5432 --tag eu', 'does not take --tag; it takes: --json, --name, --dry-run'],
  ['monitors try db:5432 --dry-run', 'svc monitors try does not take --dry-run'],
  ['monitors delete shop --dry-run', 'svc monitors delete does not take --dry-run'],
  ['monitors apply monitors.yaml --json', 'svc monitors apply does not take --json'],
  ['monitors shop --state down', 'svc monitors NAME does not take --state'],
  ['monitors --prune', 'svc monitors does not take --prune'],
  ['alerts --state down', 'svc alerts does not take --state; it takes: --json'],
  ['alerts export --prune', 'svc alerts export does not take --prune'],
  ['alerts apply alerts.yaml --tag eu', 'svc alerts apply does not take --tag'],
  ['ack 1 --dry-run', 'svc ack does not take --dry-run'],
  ['silence shop 2h works --dry-run', 'does not take --dry-run; it takes: --json, --monitor'],
];
for (const [line, says] of unread)
  test(`svc ${line}: an option that is not read is refused`, async () => {
    const { code, out, err } = await svc(line.split(' '));
    assert.equal([code, out], [2, '']);
    assert.ok(err.includes(says), err);
  });

test('a target is tried, and the status says how it went', async () => {
  const good = await svc(['monitors', 'try', url]);
  assert.equal([good.code, good.err], [0, '']);
  assert.match(good.out, /^up, \d+ ms, 200\n[\s\S]* {2}status: 200\n/);
  const bad = await svc(['monitors', 'try', `${url}bad`]);
  assert.is(bad.code, 1);
  assert.match(bad.out, /^down, \d+ ms, 500, .+\n/);
  const json = await svc(['monitors', 'try', url, '--json']);
  assert.is(JSON.parse(json.out).ok, true);
  assert.is((await svc(['monitors', 'try', 'no such thing'])).code, 2);
});

test('a monitor is added, listed, shown, switched, checked, tried and deleted by name', async () => {
  const added = await svc(['monitors', 'add', url, '--name', 'web']);
  assert.equal([added.out, added.err], ['web is checked by http every 60 s\n', '']);
  await svc(['monitors', 'check', 'web']);
  await eventually(async () => {
    const { out } = await svc(['monitors'], '', true);
    assert.match(out, /^NAME +STATE +SINCE +MS .*TARGET.*\nweb +up +\d+ s +\d+ .*http:/);
  });
  const shown = await svc(['monitors', 'web'], '', true);
  assert.match(
    shown.out,
    /^web: up for \d+ s\n {2}http every 60 s: url http:.*\n {2}uptime: 24 h .*365 d .*\nPLACE +STATE.*\nserver +up /,
  );
  assert.is(JSON.parse((await svc(['monitors', 'web', '--json'])).out).uptime.length, 5);
  assert.match((await svc(['monitors', 'try', 'web'])).out, /^up, /);
  assert.is((await svc(['monitors', 'disable', 'web'])).out, 'web is switched off\n');
  await eventually(async () =>
    assert.match((await svc(['monitors', '--state', 'paused'])).out, /^web\tpaused\t/),
  );
  assert.is((await svc(['monitors', '--tag', 'eu'])).out, '');
  assert.is((await svc(['monitors', 'enable', 'web'])).out, 'web is switched on\n');
  assert.is((await svc(['monitors', 'delete', 'web'])).out, 'web is deleted\n');
  const gone = await svc(['monitors', 'web']);
  assert.is(gone.code, 1);
  assert.match(gone.err, /^svc: the server refuses \(105\): .*there is no monitor 'web'/);
});

const FILE = () => `version: 1
monitors:
  - name: all of the shop
    kind: group
    spec: { members: [shop, till] }
  - name: till
    kind: tcp
    spec: { host: 127.0.0.1, port: 9 }
    parent: shop
    timeout_s: 10
  - name: shop
    kind: http
    spec: { url: "${url}" }
    secret: { bearer: { env: SHOP_TOKEN } }
    interval_s: 20
    condition: status == 200 && ms < 2000
    tags: [eu]
  - name: nightly copy
    kind: heartbeat
    spec: { cron: "0 5 * * *", zone: Europe/Berlin }
rules:
  - name: shop is away
    source: monitor
    scope: { monitors: [shop] }
    condition: state == "down"
`;

test('a dry run says what would change, and names what is wrong with each monitor', async () => {
  const { code, out, err } = await svc(['monitors', 'apply', '--dry-run', write(FILE())]);
  const made =
    '+ monitor shop\n+ monitor till\n+ monitor all of the shop\n+ monitor nightly copy\n';
  assert.equal(
    [code, out, err],
    [0, `${made}+ rule shop is away\n5 would change, 0 as in the file\n`, ''],
  );
  assert.equal((await app.call('monitor_list', [app.superToken])).monitors, []);
  for (const [from, to, error] of [
    ['status == 200', 'statu == 200', /^svc: monitor shop: .*statu/],
    ['parent: shop', 'parent: mill', /^svc: monitor till: .*no monitor 'mill'/],
    ['[shop, till]', '[shop, mill]', /^svc: monitor all of the shop: .*no monitor 'mill'/],
    ['interval_s: 20', 'intervall: 20', /monitor shop has 'intervall', which is none of name, /],
    ['"0 5 * * *"', '"0 5 * *"', /^svc: monitor nightly copy: .*five fields/],
  ] as const) {
    const faulty = write(FILE().replace(from, to));
    const refused = await svc(['monitors', 'apply', '--dry-run', faulty]);
    assert.is(refused.code, 1, to);
    assert.match(refused.err, error, to);
  }
});

test('a file of monitors and rules is applied, and a second time there is nothing to change', async () => {
  const first = await svc(['alerts', 'apply', write(FILE())]);
  assert.match(first.out, /5 changed, 0 as in the file\n$/, first.err);
  for (const command of ['alerts', 'monitors'])
    assert.is(
      (await svc([command, 'apply', write(FILE())])).out,
      '0 changed, 5 as in the file; secrets of 1 left as they are: --secrets writes them\n',
    );
  const shop = await app.call('monitor_get', [app.superToken, 'shop']);
  assert.equal([shop.secret, shop.timeout_s], [{ bearer: { set: true } }, 10]);
});

test('a secret that is another one arrives with --secrets, and is written at each such run', async () => {
  const file = write(FILE().replace('tags: [eu]', 'tags: [eu, new]'));
  const other = await svc(['monitors', 'apply', file]);
  assert.match(other.out, /^~ monitor shop\n {4}tags: .*\n {4}secret written: bearer\n1 changed/);
  env['SHOP_TOKEN'] = 'another one';
  for (const [flags, done] of [
    [['--dry-run'], 'would change'],
    [[], 'changed'],
    [[], 'changed'],
  ] as const) {
    const { out, err } = await svc(['monitors', 'apply', ...flags, '--secrets', write(FILE())]);
    assert.match(out, /^~ monitor shop\n(?: {4}tags: .*\n)? {4}secret written: bearer\n1 /, err);
    assert.ok(out.endsWith(`1 ${done}, 4 as in the file\n`), out);
  }
  await svc(['monitors', 'check', 'shop']);
  await eventually(async () => assert.is(seen, 'Bearer another one'));
});

test('what is exported can be applied and changes nothing; it holds no secret', async () => {
  const { out } = await svc(['monitors', 'export']);
  assert.not.match(out, /bearer/);
  assert.equal(Object.keys(parse(out)), ['version', 'monitors']);
  assert.is((await svc(['monitors', 'apply', write(out)])).out, '0 changed, 4 as in the file\n');
  const kept = out.replace(/(- name: shop\n)/, '$1    secret: { bearer: { set: true } }\n');
  assert.is((await svc(['monitors', 'apply', write(kept)])).out, '0 changed, 4 as in the file\n');
});

test('a change is shown member by member, and says which secrets another host empties', async () => {
  const { out } = await svc(['monitors', 'export']);
  const moved = out
    .replace(/127\.0\.0\.1:\d+\//, 'localhost:9/')
    .replace('interval_s: 20', 'interval_s: 30');
  const changed = await svc(['monitors', 'apply', write(moved)]);
  assert.match(
    changed.out,
    /^~ monitor shop\n {4}spec: .* → .*localhost.*\n {4}interval_s: 20 → 30\n {4}emptied, as others could read them now: bearer\n1 changed, 3 as/,
    changed.err,
  );
});

test('--prune removes monitors that the file does not have', async () => {
  const file = write(`monitors:\n  - { name: shop, kind: http, spec: { url: "${url}" } }\n`);
  const { out, err } = await svc(['monitors', 'apply', '--prune', file]);
  for (const name of ['till', 'nightly copy', 'all of the shop'])
    assert.match(out, `- monitor ${name}\n`, err);
  const { monitors } = await app.call('monitor_list', [app.superToken]);
  assert.equal(
    monitors.map(({ name }: { name: string }) => name),
    ['shop'],
  );
});

const GUIDE = 'docs/guide/monitors.md';

test('the file of the guide can be applied', async () => {
  const file = blocksOf(GUIDE).find(({ language }) => language === 'yaml')?.text ?? '';
  const { out, err } = await svc(['monitors', 'apply', '--dry-run', write(file)]);
  assert.match(out, /\+ rule shop is slow\n2 would change/, err);
});

test('every condition that the guide shows can be used', async () => {
  const text = readFileSync(join(root, GUIDE), 'utf8');
  const table = text.slice(
    text.indexOf('| Condition '),
    text.indexOf('The answer of `monitor_try`'),
  );
  const conditions = [...table.matchAll(/^\| `([^`]+)`/gm)].map(([, one = '']) => one);
  assert.ok(conditions.length > 5);
  const kinds = {
    ping: { host: '127.0.0.1' },
    dns: { name: 'localhost' },
    http: { url },
  };
  for (const condition of conditions) {
    const kind = /loss/.test(condition) ? 'ping' : /answers/.test(condition) ? 'dns' : 'http';
    const monitor = { name: 'of the guide', kind, spec: kinds[kind], condition };
    const made = await app.call('monitor_create', [app.superToken, monitor, true]);
    assert.is(made.condition, condition);
  }
});

test.run();
