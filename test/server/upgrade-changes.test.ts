/** What `upgrade-check` says of the changes of this version, by what a configuration has (docs/guide/upgrade.md, "To 0.7" to "To 0.10"). */
import * as assert from 'uvu/assert';
import { parseConfig } from '../../server/src/config/load.ts';
import { changesFor } from '../../server/src/doctor/changes.ts';
import { makePlace } from '../process/place.ts';
import { suite } from '../runner/suite.ts';
import { change, examine, list, tells } from './doctor-kit.ts';

const test = suite('upgrade-check: changes of this version');

const BUCKETS = /no longer bring static-bucket/;
const SDK = /gets the server's own @svc\/plugin-sdk/;
const SCHEME = /x-forwarded-proto is believed/;
const NAMES = /called by their host name/;
const PACE = /flush_interval_ms counts as 200/;
const PATHS = /allowed_paths has no effect/;
const KEY = /writes signing\.key beside/;
const PASSWORDS = /new passwords have 8 characters/;
const SECRETS = /writes secrets\.key beside/;

const cases: [says: string, head: string, told: RegExp[]][] = [
  [
    'all built-in plugins on an address of the network',
    'ws_listener = "0.0.0.0:2211"',
    [NAMES, KEY, PASSWORDS, SECRETS],
  ],
  [
    'loopback, without trusted_proxies',
    'ws_listener = "127.0.0.1:2211"',
    [SCHEME, NAMES, KEY, PASSWORDS, SECRETS],
  ],
  [
    'a Unix socket',
    'ws_listener = "0.0.0.0:2211"\nenable_unix_socket = true',
    [SCHEME, NAMES, KEY, PASSWORDS, SECRETS],
  ],
  [
    'loopback behind a proxy that is listed',
    'ws_listener = "127.0.0.1:2211"\ntrusted_proxies = ["127.0.0.1"]',
    [NAMES, KEY, PASSWORDS, SECRETS],
  ],
  [
    'a list with the dashboard and without buckets',
    'ws_listener = "0.0.0.0:2211"\nplugins = ["token", "dashboard"]',
    [BUCKETS, PASSWORDS],
  ],
  [
    'a list that has buckets by another plugin, and one of its own',
    'ws_listener = "0.0.0.0:2211"\nplugins = ["token", "enrol", "static-webdav", "./weather.ts"]',
    [SDK, KEY, PASSWORDS],
  ],
  [
    'all built-in plugins and one of its own',
    'ws_listener = "0.0.0.0:2211"\nextra_plugins = ["./weather.ts"]',
    [SDK, NAMES, KEY, PASSWORDS, SECRETS],
  ],
  [
    'reports that wait longer for others than 0.8 lets them',
    'ws_listener = "0.0.0.0:2211"\nmonitoring_buffer = { flush_interval_ms = 500 }',
    [NAMES, PACE, KEY, PASSWORDS, SECRETS],
  ],
  [
    'reports that wait as long as 0.8 lets them',
    'ws_listener = "0.0.0.0:2211"\nmonitoring_buffer = { flush_interval_ms = 200 }',
    [NAMES, KEY, PASSWORDS, SECRETS],
  ],
  [
    'paths that could be changed over the wire',
    'ws_listener = "0.0.0.0:2211"\nallowed_paths = ["/srv"]',
    [NAMES, PATHS, KEY, PASSWORDS, SECRETS],
  ],
  [
    'the password rule of the protocol',
    'ws_listener = "0.0.0.0:2211"\ntoken = { password_policy = "off" }',
    [NAMES, KEY, SECRETS],
  ],
  [
    'none of them',
    'ws_listener = "0.0.0.0:2211"\nallowed_paths = []',
    [NAMES, KEY, PASSWORDS, SECRETS],
  ],
];
for (const [says, head, told] of cases)
  test(says, () => {
    const uuid = 'server_uuid = "1ed6f9f0-46c3-4dfd-be64-b9544ccd9fc0"';
    const text = `${uuid}\n${head}\n[database]\ndatabase_url = "sqlite://svc.db?mode=rwc"\n`;
    const found = changesFor({ ...parseConfig(text), text });
    assert.is(found.length, told.length, JSON.stringify(found));
    for (const [at, pattern] of told.entries()) assert.match(found[at]?.message ?? '', pattern);
  });

test('the command tells them; doctor does not', async () => {
  const place = await makePlace('sqlite', { head: 'plugins = ["token", "agent-uuid"]' });
  try {
    tells(await examine(place, 'upgrade-check'), NAMES);
    const { findings } = await examine(place, 'doctor');
    assert.not.ok(findings.some(({ message }) => NAMES.test(message)));
  } finally {
    await place.remove();
  }
});

test('both commands name in one line the built-in plugins that a list leaves out', async () => {
  const OFF =
    /^configuration ok: The list plugins leaves out built-in plugins: (.*?)\. A list extra/;
  const place = await makePlace('sqlite', { head: 'plugins = ["token", "dashboard"]' });
  const told = async (command: 'doctor' | 'upgrade-check') =>
    list(await examine(place, command)).flatMap((line) => OFF.exec(line)?.[1] ?? []);
  try {
    for (const command of ['doctor', 'upgrade-check'] as const) {
      const [off = '', ...more] = await told(command);
      assert.equal(more, []);
      assert.match(off, /^agent, .*, kv, .*, terminal, user-content$/);
      assert.not.match(off, /token|dashboard|database-|systemd/);
    }
    change(place, (text) => text.replace('plugins =', 'extra_plugins ='));
    assert.equal(await told('doctor'), []);
  } finally {
    await place.remove();
  }
});

test.run();
