/** The services of the server and of enrolled agents under a real systemd, where this machine can run one in namespaces. */
// proof only: 110
import { readFileSync } from 'node:fs';
import { bootForTest, type TestApp } from '@svc/plugin-sdk/testing';
import * as assert from 'uvu/assert';
import { keysIn, manifestWith } from './enrol/attacker.ts';
import { freePort } from './ports.ts';
import { until } from './process/havoc.ts';
import { rpc } from './process/server.ts';
import { loop } from './runner/proof.ts';
import { suite } from './runner/suite.ts';
import { NODE, REPOSITORY, SystemdMachine, startService, whyNot } from './systemd-machine.ts';

const PLUGINS = [
  ...['token', 'server-info', 'agent-uuid', 'agent', 'task', 'terminal', 'kv'],
  ...['static-bucket', 'enrol'],
];
const UNINSTALL = 'sh /opt/svc-agent/install.sh --uninstall';
const DROP = '/etc/systemd/system/svc-agent.service.d';
const BUNDLE = '/opt/svc-agent/state/svc-agent.mjs';

const test = suite('services under systemd');
let app: TestApp;
let machine: SystemdMachine;
let reason = whyNot();
if (reason === undefined)
  try {
    machine = await SystemdMachine.boot();
  } catch (error) {
    reason = `systemd does not come up in namespaces: ${(error as Error).message}`;
  }
if (reason !== undefined) process.stdout.write(`  skipped: ${reason}\n`);
const withSystemd = reason === undefined ? test : test.skip;
/** Under `npm run proof`. */
const longer: typeof withSystemd = loop(() => {}, withSystemd);

test.before(async () => {
  if (reason === undefined) app = await bootForTest(PLUGINS);
});
test.after(async () => {
  await app?.stop();
  await machine?.end();
});

const done = (line: string, user?: string) => machine.done(line, user);
const list = () => app.call('agent-uuid_list', { token: app.superToken });
const entry = async (uuid: string) => (await list()).find((one: any) => one.uuid === uuid);
const uuidIn = (text: string) => /is in the fleet: (\S+)/.exec(text)?.[1] ?? '';
async function enrol(options = '', user?: string): Promise<string> {
  const { line } = await app.call('enrol_create', { token: app.superToken, url: app.url });
  return uuidIn(await done(`${line} ${options}`, user));
}
const isReporting = (uuid: string) =>
  until('a report', async () => (await entry(uuid))?.last_seen != null);
const isConnected = (uuid: string) =>
  until('the registration', async () => (await entry(uuid))?.connected_for_tasks);
const ask = async (uuid: string, task: object) => {
  const params = [app.superToken, uuid, task, 20_000];
  return (await app.call('task_create_task_blocking', params)).task_event_result;
};

const isHeard = (since: number) =>
  until('its reports', async () => (await list()).some(({ last_seen }: any) => last_seen > since));

/** What the kernel says of the main process of a unit. */
async function processOf(unit: string): Promise<Record<string, string>> {
  const { MainPID } = await machine.show(unit);
  const status = await done(`cat /proc/${MainPID}/status`);
  return Object.fromEntries(
    status.split('\n').map((line) => line.split(/:\s+/) as [string, string]),
  );
}

withSystemd(
  'the line makes a service that is in the fleet, without rights and with a user of its own',
  async () => {
    await isReporting(await enrol());
    const { ActiveState, UnitFileState, User } = await machine.show('svc-agent');
    assert.equal([ActiveState, UnitFileState, User], ['active', 'enabled', 'svc-agent']);
    const { NoNewPrivs, CapEff, CapBnd, Seccomp, Uid = '' } = await processOf('svc-agent');
    assert.equal([NoNewPrivs, Seccomp], ['1', '2']);
    assert.match(`${CapEff} ${CapBnd}`, /^0+ 0+$/);
    assert.is(Uid.split('\t')[0], (await done('id -u svc-agent')).trim());
    const mode = await done('stat -c "%U %a" /opt/svc-agent/state/config.toml');
    assert.is(mode, 'svc-agent 600\n');
  },
);

longer('killed, it is started again and reports', async () => {
  // Sooner than after the unit's five seconds.
  await done(
    `mkdir ${DROP} && printf '[Service]\\nRestartSec=200ms\\n' >${DROP}/test.conf && systemctl daemon-reload`,
  );
  const before = await machine.show('svc-agent');
  await done('systemctl kill --signal=KILL svc-agent');
  const isBack = async () => {
    const now = await machine.show('svc-agent');
    return now['ActiveState'] === 'active' && now['MainPID'] !== before['MainPID'];
  };
  await until('another process', isBack);
  await isHeard(Date.now());
});

longer('it is updated, and an update that does not connect is taken back', async () => {
  const good = await done(`cat ${BUNDLE}`);
  await done(`echo '// a stale copy' >>${BUNDLE}`);
  assert.match(await done('sh /opt/svc-agent/install.sh --update'), /was updated/);
  assert.is(await done(`cat ${BUNDLE}`), good);
  // A version that the server has signed, which starts, and then connects to nobody.
  const broken = "if (!process.argv.includes('-v')) process.exit(1);\n";
  const manifest = await (await app.fetch('/svc/enrol/manifest')).text();
  const signed = manifestWith(manifest, { agent: broken, keys: keysIn(app) });
  const curl = `#!/bin/sh
/usr/bin/curl "$@" || exit
while [ $# -gt 0 ]; do [ "$1" = -o ] && file=$2; url=$1; shift; done
case $url in
  */enrol/agent) printf '%s\\n' "${broken.trim()}" >"$file" ;;
  */enrol/manifest) printf '%s\\n' '${signed.trim()}' >"$file" ;;
esac`;
  await done(`cat >/usr/local/bin/curl <<'END'\n${curl}\nEND\nchmod 755 /usr/local/bin/curl`);
  const failed = await machine.run('sh /opt/svc-agent/install.sh --update');
  await done('rm /usr/local/bin/curl');
  assert.is(failed.code, 1);
  assert.match(failed.err, /the one before is back/);
  assert.is(await done(`cat ${BUNDLE}`), good);
  await isHeard(Date.now());
});

withSystemd('removed, it leaves neither unit nor user nor folder', async () => {
  await done(UNINSTALL);
  assert.is((await machine.show('svc-agent'))['LoadState'], 'not-found');
  assert.is((await machine.run('id svc-agent')).code, 1);
  const left = 'ls -d /opt/svc-agent /etc/systemd/system/svc-agent.service* 2>/dev/null';
  assert.is((await machine.run(left)).out, '');
});

const isWritten = async () => (await machine.run('ls /var/tmp/of-a-task')).code === 0;

longer('programs of tasks see the system only where its people allow such tasks', async () => {
  const write = { execute: { cmd: 'touch', args: ['/var/tmp/of-a-task'] } };
  const uuid = await enrol(`--node ${NODE} --allow execute`);
  await isConnected(uuid);
  const allowed = await ask(uuid, write);
  assert.ok(await isWritten(), JSON.stringify(allowed));
  assert.is(await done('stat -c %U /var/tmp/of-a-task'), 'svc-agent\n');
  await done('rm /var/tmp/of-a-task');
  // The unit alone, without the drop-in that --allow has written.
  const before = Date.now();
  await done(`rm -r ${DROP} && systemctl daemon-reload && systemctl restart svc-agent`);
  await isHeard(before);
  await isConnected(uuid);
  const refused = await ask(uuid, write);
  assert.not.ok(await isWritten(), JSON.stringify(refused));
  await done(UNINSTALL);
});

const PING = { ping: '127.0.0.1' };
/** Nobody may ping without a capability. */
const isStrict = /^1\s+0\s*$/.test(readFileSync('/proc/sys/net/ipv4/ping_group_range', 'utf8'));

longer('ping works where it is allowed, with the one capability that it takes', async () => {
  const uuid = await enrol(`--node ${NODE} --allow ping`);
  await isConnected(uuid);
  assert.type((await ask(uuid, PING)).ping, 'number');
  const { CapBnd = '', CapEff, NoNewPrivs } = await processOf('svc-agent');
  // CAP_NET_RAW is number 13.
  assert.equal([Number.parseInt(CapBnd, 16), NoNewPrivs], [1 << 13, '1']);
  assert.is(Number.parseInt(CapEff!, 16), isStrict ? 1 << 13 : 0);

  // As it was installed before.
  const before = Date.now();
  await done(`rm -r ${DROP} && systemctl daemon-reload && systemctl restart svc-agent`);
  await isHeard(before);
  await isConnected(uuid);
  const params = [app.superToken, uuid, PING, 20_000];
  const refused = await app.call('task_create_task_blocking', params);
  if (isStrict) assert.match(refused.error_message, /may not ping; on the machine "sh .*--update"/);
  const renewing = Date.now();
  assert.match(await done('sh /opt/svc-agent/install.sh --update'), /renewed for the task ping/);
  await isHeard(renewing);
  await isConnected(uuid);
  assert.type((await ask(uuid, PING)).ping, 'number');
  assert.not.match(await done('sh /opt/svc-agent/install.sh --update'), 'renewed');

  // Its people allow it no more.
  await done(`sed -i 's/"ping"/"version"/' /opt/svc-agent/state/config.toml`);
  assert.match(await done('sh /opt/svc-agent/install.sh --update'), /renewed for the task ping/);
  assert.is(Number.parseInt((await processOf('svc-agent'))['CapBnd']!, 16), 0);
  await done(UNINSTALL);
});

/** The users that processes of the agent run as. */
const users = async () => {
  const lines = await done(`ps -eo user:20,args | grep '[s]vc-agent.mjs -c config.toml' || true`);
  return lines.split('\n').flatMap((line) => line.split(' ')[0] || []);
};

longer('without a service the agent of root is another user, also after an update', async () => {
  const { line } = await app.call('enrol_create', { token: app.superToken, url: app.url });
  const said = await done(`${line} --no-service --node ${NODE}`);
  assert.match(said, 'It runs as the user svc-agent.');
  await isReporting(uuidIn(said));
  assert.equal(await users(), ['svc-agent']);
  assert.is(await done('stat -c %U /opt/svc-agent/state/agent.log'), 'svc-agent\n');
  await done(`echo '// a stale copy' >>${BUNDLE}`);
  assert.match(await done('sh /opt/svc-agent/install.sh --update'), /was updated/);
  assert.equal(await users(), ['svc-agent']);
  await done(UNINSTALL);
  assert.equal(await users(), []);
  assert.is((await machine.run('id svc-agent')).code, 1);
});

longer('where that user does not reach the folder, the agent is root and says so', async () => {
  await done('useradd svc-agent && mkdir -m 700 /root/closed');
  const { line } = await app.call('enrol_create', { token: app.superToken, url: app.url });
  const said = await done(`${line} --no-service --node ${NODE} --prefix /root/closed/agent`);
  assert.match(said, /It runs as ROOT: what the server lets it do, it does as root/);
  await isReporting(uuidIn(said));
  assert.match(
    await done('cat /root/closed/agent/state/agent.log'),
    'WARN  THE AGENT RUNS AS ROOT',
  );
  await done('sh /root/closed/agent/install.sh --uninstall');
  await done('userdel svc-agent');
});

longer('a user without root gets a service that outlives the session', async () => {
  await done('systemctl start dbus systemd-logind && useradd --create-home somebody');
  await done('loginctl enable-linger somebody');
  const session = 'export XDG_RUNTIME_DIR=/run/user/$(id -u)';
  const is = () => machine.run(`${session}; systemctl --user is-system-running --wait`, 'somebody');
  await until('the systemd of the user', async () => /running|degraded/.test((await is()).out));
  const { line } = await app.call('enrol_create', { token: app.superToken, url: app.url });
  const uuid = uuidIn(await done(`${session}; ${line} --node ${NODE}`, 'somebody'));
  await isReporting(uuid);
  const unit = '/home/somebody/.config/systemd/user/svc-agent.service';
  assert.is(await done(`stat -c %U ${unit}`), 'somebody\n');
  const state = `${session}; systemctl --user is-active svc-agent`;
  assert.is(await done(state, 'somebody'), 'active\n');
  const folder = '/home/somebody/.local/share/svc-agent';
  await done(`${session}; sh ${folder}/install.sh --uninstall`, 'somebody');
  assert.is((await machine.run(`ls ${folder} ${unit}`)).out, '');
});

withSystemd(
  'the unit of the server: ready when it listens, reloaded, started again when it stands still, stopped in order',
  async () => {
    const port = await freePort();
    const program = `#!/bin/sh\nexec ${NODE} ${REPOSITORY}/server/bin/svc-server.js "$@"\n`;
    await done(`printf '%s' '${program}' >/usr/local/bin/svc-server`);
    await done('chmod 755 /usr/local/bin/svc-server');
    const printed = await startService(machine, port, `${REPOSITORY}/deploy/systemd`);
    assert.match(printed, /Super Token: \S+/);
    const url = `http://127.0.0.1:${port}`;
    const hello = () => rpc(url, 'svc-server_hello', {});
    assert.ok((await hello()).result, 'the start returned when it was ready');
    const started = await machine.show('svc-server');
    assert.is(started['StatusText'], `Listening on ${url}`);
    const manifest = await (await fetch(`${url}/svc/enrol/manifest`)).text();
    assert.match(manifest, /^agent \S+ [0-9a-f]{64} \d+\n(?:.*\n)*runtime linux-/m);
    const { NoNewPrivs, CapBnd, Seccomp } = await processOf('svc-server');
    assert.equal([NoNewPrivs, Number(CapBnd), Seccomp], ['1', 0, '2']);
    await done('systemctl reload svc-server');
    assert.is((await machine.show('svc-server'))['MainPID'], started['MainPID']);

    // As the guides call them: beside the service, as its user, who finds its files.
    const asUser = (line: string) => done(`runuser -u svc -- svc-server ${line}`);
    assert.match(await asUser('doctor'), /listeners +ok +This server answers at/);
    assert.match(await asUser('backup /tmp/copy.tar'), /copy\.tar: \d+ rows/);
    assert.is(
      await done('stat -c "%U %a" /tmp/copy.tar /var/lib/svc/svc.db'),
      'svc 600\nsvc 600\n',
    );

    await done('systemctl kill --signal=STOP svc-server');
    const isAnother = async () => {
      const { ActiveState, MainPID } = await machine.show('svc-server');
      return ActiveState === 'active' && MainPID !== started['MainPID'];
    };
    await until('another process', isAnother);
    assert.ok((await hello()).result);
    assert.is((await machine.show('svc-server'))['NRestarts'], '1');
    await done('systemctl stop svc-server');
    const { Result, ExecMainStatus } = await machine.show('svc-server');
    assert.equal([Result, ExecMainStatus], ['success', '0']);
  },
);

test.run();
