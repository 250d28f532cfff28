// proof only: 8
/** As whom the agent program runs when root starts it. Only root can try. */
import { chmodSync, chownSync, readFileSync } from 'node:fs';
import { bootForTest } from '@svc/plugin-sdk/testing';
import * as assert from 'uvu/assert';
import { startAgent, stopAgent, until } from './agent-program-process.ts';
import { suite } from './runner/suite.ts';

const test = suite('agent program: root');
const isRoot = process.getuid?.() === 0;
if (!isRoot) process.stdout.write('  skipped: this user is not root\n');

const idsOf = (pid: number) => {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const line = (name: string) => new RegExp(`^${name}:\\s+(.*)$`, 'm').exec(status)?.[1]?.trim();
  return [line('Uid'), line('Gid'), line('Groups')];
};
const four = (id: number) => Array(4).fill(id).join('\t');

// [whose file, uid, gid of the file, uid, gid and groups of the process, words of the log]
const OWNERS: [string, number, number, string[], RegExp][] = [
  ["root's", 0, 0, [four(0), four(0)], /WARN +THE AGENT RUNS AS ROOT, .* \(chown\)/],
  [
    "nobody's",
    65534,
    0,
    [four(65534), four(65534)],
    /become the owner of its file kind=user name=nobody/,
  ],
  ['of a number without a name', 43210, 43211, [four(43210), four(43211), '43211'], /name="?43210/],
];
for (const [whose, uid, gid, ids, words] of OWNERS) {
  (isRoot ? test : test.skip)(
    `started by root with a file that is ${whose}, it is who it says`,
    async () => {
      const app = await bootForTest(['token', 'server-info', 'agent-uuid', 'agent']);
      chmodSync(app.dir, 0o711);
      const agent = await startAgent(app, app.superToken, { owner: { uid, gid } });
      try {
        const isSeen = async () =>
          (await app.call('agent-uuid_list', { token: app.superToken }))[0];
        await until('a report', isSeen, (one) => one?.last_seen != null);
        assert.equal(idsOf(agent.child.pid!).slice(0, ids.length), ids);
        assert.match(agent.output(), words);
      } finally {
        assert.is(await stopAgent(agent), 0);
        chownSync(app.dir, 0, 0);
        await app.stop();
      }
    },
  );
}

test.run();
