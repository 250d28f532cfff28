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
  assert.is((await svc(['alerts', 'apply', write(FILE)])).out, '0 changed, 4 as in the file\n');
  const [channel] = await app.call('channel_list', [app.superToken]);
  assert.equal([channel.name, channel.secret], ['hook', { secret: { set: true } }]);
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
      '1 changed, 3 as in the file\n',
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
    /'ruels' is none of its lists: channels, policies, rules, windows/,
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

test('a dry run asks the server about conditions, and names the rules that it would refuse', async () => {
  const wrong = FILE.replace('cpu_usage > 90', 'cpu_usag > 90').replace('critical', 'urgent');
  const { code, out, err } = await svc(['alerts', 'apply', '--dry-run', write(wrong)]);
  assert.equal([code, out], [1, '']);
  assert.match(err, /rule web busy: severity: "urgent" is none of info, warning, critical/);
  assert.match(err, /rule web busy: condition: character 1: .*cpu_usag/);
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
    /^Silent until \d{4}-\d\d-\d\d \d\d:\d\d UTC; it hides 1 that are open/,
  );
  const after = await svc(['alerts']);
  assert.match(after.out, /acknowledged by .*, silence new disk/);
});

test('a wrong command line says what is missing', async () => {
  assert.match((await svc(['silence', 'edge 7', '2 hours', 'x'])).err, /write 30m, 2h or 7d/);
  assert.match((await svc(['silence', 'edge 7', '2h'])).err, /REASON is missing/);
  assert.match((await svc(['ack', 'edge 7'])).err, /give the number that svc alerts shows/);
  assert.is((await svc(['ack', '1', ''])).code === 2, false);
});

test.run();
