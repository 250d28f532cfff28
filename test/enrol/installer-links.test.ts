// What root does with the installed script while the agent's own user lays traps in its folder, and in places of its own.
// proof only: 90
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bootForTest, type TestApp } from '@svc/plugin-sdk/testing';
import * as assert from 'uvu/assert';
import { suite } from '../runner/suite.ts';
import { shell } from './kit.ts';

const PLUGINS = ['token', 'server-info', 'agent-uuid', 'agent', 'task', 'kv', 'enrol'];
const test = suite('the installer: links of the agent’s user');
const canMount = spawnSync('unshare', ['-m', 'true']).status === 0 && process.getuid?.() === 0;
if (!canMount) process.stdout.write('  skipped: only root makes a machine with another /etc\n');
let app: TestApp;

test.before(async () => {
  if (canMount) app = await bootForTest(PLUGINS);
});
test.after(() => app?.stop());

/** A private mount namespace with copies of /etc and /opt; `systemctl` is a stand-in that starts the agent as its user. */
const MACHINE = `set -u
mount --make-rprivate /
cp -a /etc "$W/etc"; mount --bind "$W/etc" /etc
mkdir "$W/opt" "$W/bin"; mount --bind "$W/opt" /opt
mount -t tmpfs -o mode=755 run /run; mkdir -p /run/systemd/system
cat >"$W/bin/systemctl" <<'S'
#!/bin/bash
case "$1" in
  restart|start) setpriv --reuid=svc-agent --regid=svc-agent --clear-groups /opt/svc-agent/start >/run/agent.log 2>&1 & echo $! >/run/agent.pid ;;
  stop) [ -f /run/agent.pid ] && kill "$(cat /run/agent.pid)" 2>/dev/null; rm -f /run/agent.pid ;;
esac
exit 0
S
chmod 755 "$W/bin/systemctl"; PATH=$W/bin:$PATH
as() { setpriv --reuid=svc-agent --regid=svc-agent --clear-groups "$@"; }
trap 'systemctl stop; kill $(jobs -p) 2>/dev/null' EXIT
eval "$LINE" || exit 9
mkdir /etc/victim; echo keep >/etc/victim/file; echo root-only >/etc/canary; chmod 600 /etc/canary
state=/opt/svc-agent/state; cd /
update() { sh /opt/svc-agent/install.sh --update; }
stale() { as sh -c "echo '// stale' >>$state/svc-agent.mjs"; }
# What must be as it was, whatever the user tried.
owners() { stat -c '%U %a %n' /etc /etc/victim /etc/victim/file /etc/canary /etc/passwd /opt /opt/svc-agent /opt/svc-agent/install.sh; cat /etc/victim/file /etc/canary; }
before=$(owners)
whole() { [ "$(owners)" = "$before" ] || { echo "changed: $(owners)"; exit 1; }; as touch /etc/owned 2>/dev/null && { echo 'the user writes /etc'; exit 1; }; grep -rq root-only $state && { echo 'the user has what only root reads'; exit 1; }; exit 0; }
`;

/** [what the user does, shell: the user's trap, root's command, and what else must hold; then `whole`] */
const TRAPS: [what: string, script: string][] = [
  [
    'links to folders in the places of the files of an update',
    `stale; as sh -c "cd $state; for f in svc-agent.old.mjs svc-agent.old.mjs.new svc-agent.mjs.new svc-agent.try.mjs.new trial.new; do ln -s /etc \\$f; done"
update; whole`,
  ],
  [
    'links to files in the places of the files of an update',
    `stale; as sh -c "cd $state; for f in svc-agent.old.mjs svc-agent.old.mjs.new svc-agent.mjs.new svc-agent.try.mjs trial; do ln -s /etc/canary \\$f; done"
update; whole`,
  ],
  [
    'a link in the place of the running version, to what only root reads',
    `as ln -sf /etc/canary $state/svc-agent.mjs; update && exit 1; whole`,
  ],
  [
    'a link in the place of the configuration, which has the token that an update sends',
    `stale; as ln -sf /etc/canary $state/config.toml; update && exit 1; grep -q 'could not be read' "$W/err" || exit 2; whole`,
  ],
  [
    'a version that does not connect on a machine from before signatures, and links for the way back',
    `rm /opt/svc-agent/trust; as rm $state/svc-agent.signed; stale; as sed -i 's|^ws_url = .*|ws_url = "ws://127.0.0.1:9/svc/rpc"|' $state/config.toml
(sleep 5; as sh -c "cd $state; rm -f svc-agent.old.mjs; ln -s /etc/canary svc-agent.old.mjs; ln -sf /etc/canary svc-agent.mjs; ln -s /etc trial.new") &
update && exit 1; grep -q 'the one before is back' "$W/err" || exit 2
[ "$(as tail -n 1 $state/svc-agent.mjs)" = '// stale' ] || exit 3; whole`,
  ],
  [
    'a program for sed in the list of its tasks',
    `as sed -i '/^allow_task/d' $state/config.toml
as sh -c "cat >>$state/config.toml" <<'END'
allow_task = true
allow_task_type = [$(echo taken >\\/etc\\/victim\\/file)]/e #]
END
sh /opt/svc-agent/install.sh --allow dns && exit 1; whole`,
  ],
  [
    'a folder that becomes a link and back while the agent is removed',
    `as sh -c "mkdir -p $state/a/b"
setpriv --reuid=svc-agent --regid=svc-agent --clear-groups --pdeathsig KILL sh -c "cd $state; while [ -d $state ]; do mkdir -p x/y; touch x/file; rm -rf x; ln -s /etc/victim x; rm -f x; done" >/dev/null 2>&1 &
loop=$!
for n in 1 2 3; do sh /opt/svc-agent/install.sh --uninstall; [ -f /etc/victim/file ] || exit 1; [ -d $state ] || break; done
kill $loop; wait $loop 2>/dev/null; [ ! -d $state ] || sh /opt/svc-agent/install.sh --uninstall || exit 2
[ ! -e /opt/svc-agent ] || exit 3; [ "$(cat /etc/victim/file)" = keep ] || exit 4
as touch /etc/owned 2>/dev/null && exit 5; exit 0`,
  ],
  [
    'links to folders and files when the agent is removed',
    `as sh -c "cd $state; ln -s /etc/victim v; mkdir d; ln -s ../../../../etc/victim d/v; ln -s /etc/canary .c"
sh /opt/svc-agent/install.sh --uninstall || exit 1; [ ! -e /opt/svc-agent ] || exit 2
[ "$(cat /etc/victim/file /etc/canary)" = "$(printf 'keep\\nroot-only')" ] || exit 3; exit 0`,
  ],
  [
    'a folder of its own in the middle of the path',
    `as() { setpriv --reuid=daemon --regid=daemon --clear-groups "$@"; }
mkdir "$W/theirs"; chmod 755 "$W"; chown daemon "$W/theirs"; as cp -r /opt/svc-agent "$W/theirs/agent" 2>/dev/null; as mkdir -p "$W/theirs/agent"; as touch "$W/theirs/agent/start"
for task in --update --uninstall '--allow ping'; do
  sh /opt/svc-agent/install.sh $task --prefix "$W/theirs/agent" 2>"$W/told" && exit 1
  grep -q "others may change $W/theirs" "$W/told" || { cat "$W/told"; exit 2; }
done; [ -e "$W/theirs/agent/start" ] || exit 3; whole`,
  ],
];

for (const [what, script] of TRAPS)
  (canMount ? test : test.skip)(`root follows no trap: ${what}`, async () => {
    const W = mkdtempSync(join(tmpdir(), 'svc-traps-'));
    const { line } = await app.call('enrol_create', { token: app.superToken, url: app.url });
    const env = {
      W,
      LINE: `${line} --node ${process.execPath}`,
      DO: `${MACHINE}exec 2>"$W/err"\n${script}`,
    };
    try {
      const { code, out, err } = await shell(
        'unshare -m bash -c "$DO"; s=$?; cat "$W/err" >&2; exit $s',
        { env },
      );
      assert.is(code, 0, `status ${code}\n${out}\n${err}`);
    } finally {
      rmSync(W, { recursive: true, force: true });
    }
  });

test.run();
