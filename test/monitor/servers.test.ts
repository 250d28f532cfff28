// Several servers on one database share the monitors; a server that is cut off says nothing (plugins/monitor/src/engine).
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { App } from '@svc/kernel';
import { bootForTest, type TestApp } from '@svc/plugin-sdk/testing';
import * as assert from 'uvu/assert';
import { Monitors } from '../../plugins/monitor/src/api.ts';
import { issue } from '../checks/authority.ts';
import { suite } from '../runner/suite.ts';
import { acquainted, sharedServers } from '../shared-servers.ts';
import {
  boot,
  call,
  create,
  get,
  http,
  MINUTE,
  PLUGINS,
  passes,
  pause,
  SECOND,
  says,
  stateOf,
  type Target,
  target,
} from './kit.ts';
import { site } from './scenarios-kit.ts';
import { silentSites } from './silent-sites.ts';

const monitorsOf = (app: TestApp): Monitors => (app.kernel as App).service(Monitors)!;

const test = suite('monitors: several servers');

/** Moves the time of all servers until something holds. */
async function allPass(
  apps: readonly TestApp[],
  most_ms: number,
  holds: () => boolean | Promise<boolean> = () => false,
): Promise<boolean> {
  for (let passed = 0; passed < most_ms; passed += SECOND) {
    await pause(10);
    if (await holds()) return true;
    for (const app of apps) await app.clock.advance(SECOND);
  }
  return holds();
}

test('two servers share the monitors; when one is gone the other has all, and no outage comes twice', async () => {
  const servers = await sharedServers(2, [...PLUGINS, 'bus', 'bus-postgres'], {}, { clock: true });
  const web = await target();
  try {
    const [first, second] = servers.apps as [TestApp, TestApp];
    const names = Array.from({ length: 12 }, (_one, at) => `m${at}`);
    for (const name of names) await create(first, http(name, web.url, { retries: 1 }));
    const states = async () =>
      (await call(first, 'monitor_list')).monitors.map(({ state }: any) => state);
    const areAll = (state: string) => async () =>
      (await states()).every((one: string) => one === state);
    assert.ok(await allPass(servers.apps, MINUTE, areAll('up')));
    // Twice the interval: each is checked once in ten seconds, by one server.
    const before = web.got.length;
    await allPass(servers.apps, 20 * SECOND);
    const checks = web.got.length - before;
    assert.ok(checks >= 20 && checks <= 30, `${checks} checks of 24`);
    web.reply = 500;
    assert.ok(await allPass(servers.apps, MINUTE, areAll('down')));
    await second.stop();
    servers.apps.pop();
    assert.ok(!(await allPass([first], 20 * SECOND, async () => !(await areAll('down')()))));
    const alone = web.got.length;
    await allPass([first], 20 * SECOND);
    assert.ok(web.got.length - alone >= 20, 'the other one checks all');
    for (const name of names)
      assert.is((await call(first, 'monitor_outages', { name })).length, 1, name);
    web.reply = 200;
    assert.ok(await allPass([first], MINUTE, areAll('up')));
  } finally {
    await servers.stop();
    await web.stop();
  }
});

test('a server without the plugin has no share', async () => {
  const bus = ['bus', 'bus-postgres'];
  const servers = await sharedServers(1, [...PLUGINS, ...bus], {}, { clock: true });
  const web = await target();
  const [first] = servers.apps as [TestApp];
  const text = await readFile(join(first.dir, 'config.toml'), 'utf8');
  const config = {
    server_uuid: /^server_uuid = "([^"]+)"/m.exec(text)?.[1],
    database: { database_url: servers.database_url },
  };
  const options = { dialect: 'postgres', clock: true } as const;
  const without = [...PLUGINS.filter((name) => name !== 'monitor'), ...bus];
  const other = await bootForTest(without, config, options);
  try {
    await acquainted([first, other]);
    const names = Array.from({ length: 12 }, (_one, at) => `m${at}`);
    for (const name of names) await create(first, http(name, web.url));
    for (const name of names) assert.ok(await says(first, name, 'up'), name);
  } finally {
    await other.stop();
    await servers.stop();
    await web.stop();
  }
});

for (const dialect of ['sqlite', 'postgres'] as const) {
  test(`a server that is cut off turns nothing down: its monitors are unknown, and it says so (${dialect})`, async () => {
    const app = await boot(dialect);
    const hosts = ['127.0.0.1', '127.0.0.2', '127.0.0.3', '127.0.0.4'];
    const sites = await silentSites(hosts);
    try {
      for (const [at, url] of sites.urls.entries())
        await create(app, http(`m${at}`, url, { retries: 2, retry_s: 10 }));
      for (const at of hosts.keys()) assert.ok(await says(app, `m${at}`, 'up'));
      assert.equal(await monitorsOf(app).isolated(), []);
      await sites.silence();
      const seen = new Set<string>();
      const isCutOff = async () => {
        for (const at of hosts.keys()) seen.add(await stateOf(app, `m${at}`));
        return seen.has('unknown') && (await monitorsOf(app).isolated()).length === 1;
      };
      assert.ok(await passes(app, 2 * MINUTE, isCutOff), [...seen].join());
      await passes(app, 30 * SECOND, async () => !(await isCutOff()));
      assert.not(seen.has('down'));
      assert.equal(await call(app, 'monitor_outages', { name: 'm0' }), []);
      sites.speak();
      for (const at of hosts.keys()) assert.ok(await says(app, `m${at}`, 'up', 2 * MINUTE));
      assert.ok(
        await passes(app, MINUTE, async () => (await monitorsOf(app).isolated()).length === 0),
      );
      const { verdict } = await get(app, 'm0');
      assert.is(verdict.down, 0);
    } finally {
      await app.stop();
      await sites.stop();
    }
  });
}

const HOSTS = ['127.0.0.1', '127.0.0.2', '127.0.0.3'];
/** Failures of three hosts at once that are those of the targets: something came from each. */
const ANSWERS: readonly (readonly [what: string, fail: (one: Target) => unknown])[] = [
  ['refuse connections', (one) => one.stop()],
  ['cut connections', (one) => Object.assign(one, { reply: 'reset' })],
  ['take connections and send nothing', (one) => Object.assign(one, { reply: 'hang' })],
];
for (const [what, fail] of ANSWERS) {
  test(`targets of three hosts that ${what} are down: the server is not cut off`, async () => {
    const app = await boot('sqlite');
    const targets = await Promise.all(HOSTS.map(target));
    try {
      for (const [at, { url }] of targets.entries())
        await create(app, http(`m${at}`, url, { retries: 1 }));
      for (const at of targets.keys()) assert.ok(await says(app, `m${at}`, 'up'));
      await Promise.all(targets.map(fail));
      for (const at of targets.keys()) assert.ok(await says(app, `m${at}`, 'down'));
      assert.equal(await monitorsOf(app).isolated(), []);
    } finally {
      await app.stop();
      await Promise.all(targets.map((one) => one.stop()));
    }
  });
}

test('certificates of three hosts that are not valid turn their monitors down', async () => {
  const app = await boot('sqlite');
  const expired = issue({ name: 'old', names: HOSTS, from_days: -88, until_days: -2 });
  const sites = await Promise.all(HOSTS.map((host) => site(expired, host)));
  try {
    for (const [at, { url }] of sites.entries())
      await create(app, http(`m${at}`, url, { retries: 0 }));
    for (const at of sites.keys()) assert.ok(await says(app, `m${at}`, 'down'));
    assert.equal(await monitorsOf(app).isolated(), []);
  } finally {
    await app.stop();
    for (const one of sites) await one.stop();
  }
});

test('what must not answer, and does not, hides no failure of others', async () => {
  const app = await boot('sqlite');
  const silent = await silentSites(HOSTS);
  const web = await target('127.0.0.4');
  try {
    await silent.silence();
    for (const [at, url] of silent.urls.entries())
      await create(app, http(`closed ${at}`, url, { upside_down: true }));
    await create(app, http('shop', web.url, { retries: 1 }));
    for (const name of ['shop', 'closed 0', 'closed 1', 'closed 2'])
      assert.ok(await says(app, name, 'up'), name);
    await web.stop();
    assert.ok(await says(app, 'shop', 'down'));
    assert.equal(await monitorsOf(app).isolated(), []);
    assert.is(await stateOf(app, 'closed 0'), 'up');
  } finally {
    await app.stop();
    await silent.stop();
    await web.stop();
  }
});

test('one target that is away among others is down: the server is not cut off', async () => {
  const app = await boot('sqlite');
  const targets = await Promise.all(['127.0.0.1', '127.0.0.2', '127.0.0.3'].map(target));
  try {
    for (const [at, { url }] of targets.entries())
      await create(app, http(`m${at}`, url, { retries: 1 }));
    for (const at of targets.keys()) await says(app, `m${at}`, 'up');
    targets[0]!.reply = 'reset';
    assert.ok(await says(app, 'm0', 'down'));
    assert.is(await stateOf(app, 'm1'), 'up');
    const now = await monitorsOf(app).now();
    assert.equal(
      now.map(({ state }) => state),
      ['down', 'up', 'up'],
    );
    assert.equal(await monitorsOf(app).isolated(), []);
  } finally {
    await app.stop();
    for (const one of targets) await one.stop();
  }
});

test.run();
