/** `svc alerts`, `svc ack`, `svc silence`, and rules and channels that are kept in a file. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { bootForTest, type TestApp } from '@svc/plugin-sdk/testing';
import * as assert from 'uvu/assert';
import { parse } from 'yaml';
import { main } from '../../cli/src/main.ts';
import { AGENT } from '../agent-program-kit.ts';
import { summaryReport } from '../protocol/agent-kit.ts';
import { eventually } from '../protocol/token-kit.ts';
import { suite } from '../runner/suite.ts';

const test = suite('svc: alerts');
let app: TestApp;
let dir = '';
let env: Record<string, string> = {};

test.before(async () => {
  dir = mkdtempSync(join(tmpdir(), 'svc-cli-'));
  env = { XDG_CONFIG_HOME: dir, HOOK_SECRET: 'whsec_c2VjcmV0IG9mIGEgdGVzdA==' };
  app = await bootForTest(undefined);
  await app.call('kv_create', [app.superToken, AGENT]);
  await app.call('kv_set_value', [app.superToken, AGENT, 'metadata_name', 'edge 7']);
  assert.is((await svc(['login', app.url], `${app.superToken}\n`)).code, 0);
});
test.after(async () => {
  await app.stop();
  rmSync(dir, { recursive: true, force: true });
});

async function svc(args: string[], input = '', isTTY = false) {
  const collect = () => {
    let text = '';
    const stream = Object.assign(new PassThrough(), { isTTY, columns: 120 });
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

const FILE = `version: 1
channels:
  - name: hook
    kind: webhook
    config: { url: "http://127.0.0.1:9/" }
    secret: { secret: { env: HOOK_SECRET } }
policies:
  - name: night
    steps: [{ after_s: 0, channels: [hook] }]
    quiet: { from: "22:00", to: "07:00", zone: Europe/Berlin }
rules:
  - name: web busy
    source: machine
    scope: { all: true }
    condition: cpu_usage > 90
    clear: cpu_usage < 80
    severity: critical
    policy: night
windows:
  - name: updates
    scope: { tags: [web] }
    zone: Europe/Berlin
    cron: "30 2 * * 6"
    duration_s: 3600
`;

const write = (text: string, name = 'alerts.yaml') => {
  writeFileSync(join(dir, name), text);
  return join(dir, name);
};

test('a dry run says what would change, and changes nothing', async () => {
  const { code, out } = await svc(['alerts', 'apply', '--dry-run', write(FILE)]);
  const expected = '+ channel hook\n+ policy night\n+ rule web busy\n+ window updates\n';
  assert.equal([code, out], [0, `${expected}4 would change, 0 as in the file\n`]);
  assert.equal(await app.call('channel_list', [app.superToken]), []);
});

test('a file is applied, and a second time there is nothing to change', async () => {
  const first = await svc(['alerts', 'apply', write(FILE)]);
  assert.match(first.out, /4 changed, 0 as in the file\n$/, first.err);
  assert.is(
    (await svc(['alerts', 'apply', write(FILE)])).out,
    '0 changed, 4 as in the file; secrets of 1 left as they are: --secrets writes them\n',
  );
  const [channel] = await app.call('channel_list', [app.superToken]);
  assert.equal([channel.name, channel.secret], ['hook', { secret: { set: true } }]);
});

test('the secret of a channel that is another one arrives with --secrets', async () => {
  const { out, err } = await svc(['alerts', 'apply', '--secrets', write(FILE)]);
  const written = '~ channel hook\n    secret written: secret\n';
  assert.is(out, `${written}1 changed, 3 as in the file\n`, err);
});

test('a change is shown member by member, and what the file leaves out takes its default', async () => {
  const changed = FILE.replace('cpu_usage > 90', 'cpu_usage > 95').replace(
    '    severity: critical\n',
    '',
  );
  const { out } = await svc(['alerts', 'apply', write(changed)]);
  assert.is(
    out,
    [
      '~ rule web busy',
      '    condition: "cpu_usage > 90" → "cpu_usage > 95"',
      '    severity: "critical" → "warning"',
      '1 changed, 3 as in the file; secrets of 1 left as they are: --secrets writes them\n',
    ].join('\n'),
  );
  const rule = await app.call('alert_rule_get', [app.superToken, 'web busy']);
  assert.equal([rule.condition, rule.severity], ['cpu_usage > 95', 'warning']);
});

test('what is exported can be applied and changes nothing; it holds no secret', async () => {
  const { out } = await svc(['alerts', 'export']);
  assert.not.match(out, /whsec_/);
  const file = parse(out);
  assert.ok(file.rules.length > 5, 'the shipped rules are there');
  const applied = await svc(['alerts', 'apply', write(out, 'exported.yaml')]);
  assert.match(applied.out, /^0 changed, \d+ as in the file\n$/, applied.err);
  const json = await svc(['--json', 'alerts', 'export']);
  assert.equal(JSON.parse(json.out), file);
});

test('--prune removes what the file does not have, shipped rules excepted', async () => {
  const before = await app.call('alert_rule_list', [app.superToken]);
  const { out } = await svc(['alerts', 'apply', '--prune', write('rules: []\nwindows: []\n')]);
  assert.is(out, '- window updates\n- rule web busy\n2 changed, 0 as in the file\n');
  const after = await app.call('alert_rule_list', [app.superToken]);
  assert.is(after.length, before.length - 1);
});

const faults: [says: string, text: string, error: RegExp][] = [
  ['a list that is none', 'rules: 1', /rules is no list/],
  [
    'an unknown list',
    'ruels: []',
    /'ruels' is none of its lists: channels, policies, monitors, rules, windows/,
  ],
  ['an item without a name', 'rules: [{condition: "true"}]', /each of rules needs a name/],
  ['a name twice', 'rules: [{name: a}, {name: a}]', /rules has 'a' twice/],
  ['an alias', 'rules: &a []\nwindows: *a', /alias/i],
  ['no YAML', 'rules: [', /alerts\.yaml: /],
  ['a variable that is not set', FILE.replace('HOOK_SECRET', 'NOT_SET'), /NOT_SET is not set/],
  ['another version', 'version: 2', /its version is 2; this program reads 1/],
  [
    'a member that rules do not have',
    FILE.replace('severity:', 'for_secs: 5\n    severity:'),
    /rule web busy has 'for_secs', which is none of name, source/,
  ],
  ['a kind that changes', FILE.replace('kind: webhook', 'kind: ntfy'), /its kind cannot change/],
];
for (const [says, text, error] of faults)
  test(`refused: ${says}`, async () => {
    const before = await app.call('alert_rule_list', [app.superToken]);
    const { code, out, err } = await svc(['alerts', 'apply', write(text)]);
    assert.equal([code, out], [1, '']);
    assert.match(err, error);
    assert.equal(await app.call('alert_rule_list', [app.superToken]), before);
  });

test('a dry run has the server check each item, and names all that it would refuse', async () => {
  const agents = 'scope: { agents: ["00000000-0000-4000-8000-00000000dead"] }';
  const cases: [from: string, to: string, error: RegExp][] = [
    [
      'cpu_usage > 90',
      'cpu_usag > 90',
      /^svc: rule web busy: .*cpu_usag; did you mean cpu_usage\?\n$/,
    ],
    ['critical', 'urgent', /^svc: rule web busy: .*severity/],
    ['policy: night', 'policy: nowhere', /^svc: rule web busy: .*no policy 'nowhere'/],
    ['[hook]', '[hook, pager]', /^svc: policy night: .*there is no channel 'pager'/],
    ['Europe/Berlin }', 'Mars/Base }', /^svc: policy night: .*'Mars\/Base' is no time zone/],
    ['scope: { all: true }', agents, /^svc: rule web busy: .*00000000dead/],
    ['"30 2 * * 6"', '"30 2 * * 6,"', /^svc: window updates: .*day-of-week '6,' .* empty item/],
    ['duration_s: 3600', 'public: [shop]', /^svc: window updates: .*give once/],
    ['"http://127.0.0.1:9/"', '9', /^svc: channel hook2: /],
    ['kind: webhook', 'kind: pigeon', /^svc: channel hook2: .*no kind 'pigeon'/],
    ['[{ after_s: 0, channels: [hook] }]', '[1, { channels: 2 }]', /^svc: policy night: /],
  ];
  const fresh = FILE.replace('name: hook', 'name: hook2').replace('[hook', '[hook2');
  for (const [from, to, error] of cases) {
    const text = (from.includes('hook]') ? FILE : fresh).replace(from, to);
    const { code, out, err } = await svc(['alerts', 'apply', '--dry-run', write(text)]);
    assert.equal([code, out], [1, ''], `${to}: ${err}`);
    assert.match(err, error, `${to}: ${err}`);
  }
  const all = fresh.replace('cpu_usage > 90', '1').replace('duration_s: 3600', 'duration_s: 1');
  const { err } = await svc(['alerts', 'apply', '--dry-run', write(all)]);
  assert.match(err, /^svc: rule web busy: .*\nwindow updates: /);
});

test('a dry run may name what the file itself makes, and leaves nothing behind', async () => {
  const lists = ['channel_list', 'alert_policy_list', 'alert_rule_list', 'alert_window_list'];
  const before = await Promise.all(lists.map((list) => app.call(list, [app.superToken])));
  const fresh = FILE.replace('name: hook', 'name: hook2')
    .replace('[hook]', '[hook2]')
    .replaceAll('night', 'evening')
    .replace('web busy', 'web full')
    .replace('updates', 'renewals');
  const { code, out, err } = await svc(['alerts', 'apply', '--dry-run', write(fresh)]);
  assert.equal([code, err], [0, '']);
  assert.match(
    out,
    /^\+ channel hook2\n\+ policy evening\n\+ rule web full\n\+ window renewals\n4 would/,
  );
  for (const [place, list] of lists.entries())
    assert.equal(await app.call(list, [app.superToken]), before[place]);
});

test('a dry run asks for the rights that apply needs', async () => {
  const limits = [{ scopes: ['global'], permissions: [{ alert: 'read' }] }];
  const token = { version: 1, token_limit: limits };
  const { key, secret } = await app.call('token_create', [app.superToken, token]);
  const other = { ...env, XDG_CONFIG_HOME: join(dir, 'reader') };
  const own = env;
  env = other;
  try {
    assert.is((await svc(['login', app.url], `${key}:${secret}\n`)).code, 0);
    const file = write(FILE.replace('web busy', 'web full').slice(FILE.indexOf('rules:')));
    const dry = await svc(['alerts', 'apply', '--dry-run', file]);
    assert.is(dry.code, 1);
    assert.match(dry.err, /rule web full: .*alert write/);
  } finally {
    env = own;
  }
});

test('an error of the server names the item, and how many changes were made before', async () => {
  const wrong = FILE.replace('name: night', 'name: day').replace('policy: night', 'policy: noon');
  const { code, out, err } = await svc(['alerts', 'apply', write(wrong)]);
  assert.is(code, 1);
  assert.match(out, /^\+ policy day\n$/);
  assert.match(err, /^svc: rule web busy: .*noon.* \(1 of 3 changes were made before\)\n$/);
});

test('an alert is listed, acknowledged and silenced by the name of its machine', async () => {
  const report = () => {
    const data = summaryReport({ uuid: AGENT, time: Date.now() });
    return app.call('agent_report_dynamic_summary', [app.superToken, data]);
  };
  await report();
  const rule = { name: 'any report', source: 'machine', scope: { agents: [AGENT] } };
  await app.call('alert_rule_create', [app.superToken, { ...rule, condition: 'cpu_usage >= 0' }]);
  let id = 0;
  await eventually(async () => {
    await report();
    const { alerts } = await app.call('alert_list', [app.superToken]);
    id = alerts[0].id;
    assert.is(alerts[0].subject.name, 'edge 7');
  });
  const listed = await svc(['alerts'], '', true);
  assert.match(listed.out, /^WHERE +WHAT +VALUE +SINCE +SEVERITY +STATE +ID\nedge 7 +any report/);
  const acked = await svc(['ack', String(id), 'on', 'it']);
  assert.is(acked.out, 'edge 7: any report is acknowledged\n', acked.err);
  const silenced = await svc(['silence', 'edge 7', '2h', 'new', 'disk']);
  assert.match(
    silenced.out,
    /^machine edge 7: silent until \d{4}-\d\d-\d\d \d\d:\d\d UTC; it hides 1 that are open/,
  );
  const after = await svc(['alerts']);
  assert.match(after.out, /acknowledged by .*, silence new disk/);
});

test('a monitor is silenced by its name, and a machine of that name comes first', async () => {
  const spec = { kind: 'http', spec: { url: 'http://127.0.0.1:1/' }, enable: false };
  for (const name of ['mail cert', 'edge', 'edge 7'])
    await app.call('monitor_create', [app.superToken, { name, ...spec }]);
  const day = ' \\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d UTC';
  const cases: [args: string[], called: string, scope: object][] = [
    [['mail cert', '2h', 'renewed', 'today'], 'monitor mail cert', { monitors: ['mail cert'] }],
    // The name is that of a monitor, and the beginning only of one of a machine.
    [['edge', '2h', 'x'], 'monitor edge', { monitors: ['edge'] }],
    [['edge 7', '2h', 'x'], 'machine edge 7', { agents: [AGENT] }],
    [['--monitor', 'edge 7', '2h', 'x'], 'monitor edge 7', { monitors: ['edge 7'] }],
    [['--monitor', 'edge*', '2h', 'x'], 'monitors edge\\*', { monitors: ['edge*'] }],
    [[AGENT.slice(0, 8), '2h', 'x'], 'machine edge 7', { agents: [AGENT] }],
  ];
  for (const [args, called, scope] of cases) {
    const { out, err } = await svc(['silence', ...args]);
    assert.match(out, new RegExp(`^${called}: silent until${day}`), err);
    const [made] = (await app.call('alert_silence_list', [app.superToken])).toSorted(
      (a: { id: number }, b: { id: number }) => b.id - a.id,
    );
    assert.equal(made.scope, scope);
  }
});

test('a name that nothing has is refused with where the names are', async () => {
  for (const [args, says] of [
    [['mial'], "svc: no machine and no monitor 'mial': svc agents and svc monitors list them\n"],
    [['--monitor', 'mial'], "svc: no monitor 'mial': svc monitors lists them\n"],
  ] as const) {
    const { code, err } = await svc(['silence', ...args, '2h', 'x']);
    assert.equal([code, err], [1, says]);
  }
});

test('a wrong command line says what is missing', async () => {
  assert.match((await svc(['silence', 'edge 7', '2 hours', 'x'])).err, /write 30m, 2h or 7d/);
  assert.match((await svc(['silence', 'edge 7', '2h'])).err, /REASON is missing/);
  assert.match((await svc(['ack', 'edge 7'])).err, /give the number that svc alerts shows/);
  assert.is((await svc(['ack', '1', ''])).code === 2, false);
});

test('a dry run says that a policy which a rule uses cannot go', async () => {
  assert.is((await svc(['alerts', 'apply', write(FILE)])).code, 0);
  const file = write('policies: []\n');
  const dry = await svc(['alerts', 'apply', '--prune', '--dry-run', file]);
  assert.match(dry.err, /^svc: policy night: a rule uses it/);
  assert.is((await svc(['alerts', 'apply', '--prune', file])).code, 1);
  const both = write('policies: []\nrules: []\n');
  assert.is((await svc(['alerts', 'apply', '--prune', '--dry-run', both])).code, 0);
});

test('a window that is once is exported with times that people read, and machines with their names', async () => {
  const [from, to] = [Date.UTC(2026, 11, 24, 22), Date.UTC(2026, 11, 24, 23)];
  const window = { name: 'eve', scope: { agents: [AGENT] }, once: { from, to } };
  await app.call('alert_window_create', [app.superToken, window]);
  const { out } = await svc(['alerts', 'export']);
  assert.match(out, /from: 2026-12-24T22:00:00.000Z\n +to: 2026-12-24T23:00:00.000Z\n/);
  assert.match(out, new RegExp(`- ${AGENT} # edge 7\n`));
  for (const [given, words] of [
    [out, /^0 changed/],
    [out.replace('2026-12-24T22:00:00.000Z', '2026-12-24T23:00+01:00'), /^0 changed/],
    [out.replace('2026-12-24T22:00:00.000Z', String(from)), /^0 changed/],
    [
      out.replace('2026-12-24T22:00:00.000Z', '2026-12-24T22:30:00Z'),
      /~ window eve\n +once: .*1 ch/s,
    ],
  ] as const)
    assert.match((await svc(['alerts', 'apply', write(given)])).out, words);
  const bare = out.replace('2026-12-24T22:00:00.000Z', '2026-12-24T22:00');
  assert.match(
    (await svc(['alerts', 'apply', write(bare)])).err,
    /once.from '2026-12-24T22:00' is no time/,
  );
  await app.call('alert_window_delete', [app.superToken, 'eve']);
});

test.run();
