// proof only: 5
/** What the agent as one file loads: modules of Node that it never uses would take megabytes of each machine. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as assert from 'uvu/assert';
import { agentBundle } from '../plugins/enrol/src/bundle.ts';
import { suite } from './runner/suite.ts';

const test = suite('agent program: weight');
const dir = mkdtempSync(join(tmpdir(), 'svc-agent-'));
test.after(() => rmSync(dir, { recursive: true, force: true }));

/** Writes the names of the modules of Node that were loaded. */
const WITNESS = `const { writeFileSync } = process.getBuiltinModule('node:fs');
process.on('exit', () => writeFileSync(process.env.LOADED, process.moduleLoadList.join('\\n')));`;
const CONFIG = `log_level = "info"
agent_uuid = "0b6f1c52-7a35-4d0e-9c1b-52d3a8e0f411"
ntp_server = ""
[[server]]
name = "test"
server_uuid = "6f9619ff-8b86-4d01-b42d-00cf4fc964ff"
token = "key:secret"
ws_url = "wss://fleet.example.net/svc/rpc"
allow_task = true
allow_task_type = ["ping", "execute", "dns"]
`;
const NEVER = ['internal/deps/undici/undici', 'http2', 'worker_threads', 'perf_hooks', 'dgram'];
/** Loaded by the first task that needs it. */
const LATER = ['child_process', 'dns/promises'];

test('an agent that has collected everything has loaded no module that it does not use', async () => {
  const bundle = await agentBundle();
  const [config, witness, LOADED] = ['agent.toml', 'witness.mjs', 'loaded'].map((name) =>
    join(dir, name),
  ) as [string, string, string];
  writeFileSync(config, CONFIG);
  writeFileSync(witness, WITNESS);
  const args = ['--import', witness, bundle, '-c', config, '--dry-run'];
  const env = { ...process.env, LOADED };
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { env, encoding: 'utf8' });
  assert.is(status, 0, stderr);
  assert.match(stdout, 'dynamic summary cpu_usage=');
  const loaded = readFileSync(LOADED, 'utf8').split('\n');
  assert.ok(loaded.includes('NativeModule tls'), 'the list is there');
  const needless = [...NEVER, ...LATER].filter((name) => loaded.includes(`NativeModule ${name}`));
  assert.equal(needless, []);
});

test.run();
