/**
 * Smoke test of the program from its sources, on a temporary SQLite database: start, report, query, script, stop.
 *
 *   npm run smoke                          under this machine's Node, or under Node 24 where it is too old
 *   npm run smoke -- 22.18.0 26.10.0       under each of these, fetched into .runtime/ when they are not there;
 *                                          the versions are the folders of scripts/runtime
 *   npm run smoke -- --bin DIR             of the programs in a folder, for example those of an installed package
 *
 * Prints one line per step, and `N passed, N failed` last. The exit status is 1 when a step failed. Takes about 10 s
 * per version, and writes only to a temporary directory and to .runtime/.
 */
import { spawn, spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir, totalmem } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { agentConfig, agentLimits } from './agent.mjs';
import { install } from './prepare.mjs';
import { fetchNode, root } from './runtime.mjs';

const STEP_LIMIT_MS = 60_000;
const STEPS = { start, report, query, script, stop };
const AGENT = randomUUID();
const SCRIPT = 'export default { onCall: ({ a, b }) => ({ sum: a + b }) }';

const { values: options, positionals: versions } = parseArgs({
  options: { bin: { type: 'string' } },
  allowPositionals: true,
});
const programs = options.bin
  ? { server: join(options.bin, 'svc-server'), agent: join(options.bin, 'svc-agent') }
  : { server: join(root, 'server/bin/svc-server.js'), agent: join(root, 'agent/bin/svc-agent.js') };
const failed = versions.length > 0 ? underEach(versions) : await underThis();
const all = Object.keys(STEPS).length * Math.max(1, versions.length);
process.stdout.write(`${all - failed} passed, ${failed} failed\n`);
process.exitCode = failed > 0 ? 1 : 0;

/** Runs this file under each version; returns the number of failed steps. */
function underEach(names) {
  const script = fileURLToPath(import.meta.url);
  return names.reduce((sum, version) => sum + failedUnder(version, script), 0);
}

function failedUnder(version, script) {
  try {
    const node = fetchNode(version, 'smoke test');
    const { stdout } = spawnSync(node, [script], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 2],
    });
    const tally = /(\d+) passed, (\d+) failed\n$/.exec(stdout);
    process.stdout.write(tally ? stdout.slice(0, tally.index) : stdout);
    if (tally) return Number(tally[2]);
  } catch (error) {
    process.stdout.write(`${error.message}\n`);
  }
  return Object.keys(STEPS).length;
}

/** Runs the steps; what follows a failed step does not run and counts as failed. Returns the number of failed steps. */
async function underThis() {
  install('production');
  const dir = mkdtempSync(join(tmpdir(), 'svc-smoke-'));
  const site = { dir, children: [] };
  const waiting = new Map(Object.entries(STEPS));
  try {
    for (const [name, step] of waiting) {
      const begun = performance.now();
      await step(site);
      waiting.delete(name);
      const ms = Math.round(performance.now() - begun);
      process.stdout.write(`ok   Node ${process.versions.node}: ${name} (${ms} ms)\n`);
    }
  } catch (error) {
    const [name] = waiting.keys();
    process.stdout.write(`FAIL Node ${process.versions.node}: ${name}: ${error.stack}\n`);
    for (const { name: program, text } of site.children)
      process.stdout.write(`--- ${program} printed:\n${text}\n`);
  } finally {
    for (const { child } of site.children) child.kill('SIGKILL');
    rmSync(dir, { recursive: true, force: true });
  }
  return waiting.size;
}

/** The program serves, and its first start prints the Super Token. */
async function start(site) {
  const address = `127.0.0.1:${await freePort()}`;
  site.url = `http://${address}`;
  const config = join(site.dir, 'server.toml');
  const setup = run(site, 'svc-server', [programs.server, 'setup', site.dir, '--listen', address]);
  if ((await setup.closed) !== 0) throw new Error('setup failed');
  site.server = run(site, 'svc-server', [programs.server, 'serve', '-c', config]);
  site.token = await until(site.server, () => /^Super Token: (\S+)$/m.exec(site.server.text)?.[1]);
  // Until the server listens the call throws.
  site.uuid = await until(site.server, () => call(site, 'svc-server_uuid').catch(() => undefined));
}

/** The bundled agent connects with a credential of its own, and its first report makes it known. */
async function report(site) {
  const created = await call(site, 'token_create', site.token, { token_limit: agentLimits(AGENT) });
  const server = { uuid: site.uuid, url: site.url.replace('http', 'ws') };
  const config = join(site.dir, 'agent.toml');
  writeFileSync(config, agentConfig(AGENT, server, `${created.key}:${created.secret}`));
  site.agent = run(site, 'svc-agent', [programs.agent, '-c', config]);
  await until(site.agent, async () => {
    const { uuids } = await call(site, 'svc-server_list_all_agent_uuid', site.token);
    return uuids.includes(AGENT);
  });
}

/** The summary of this machine comes back. */
async function query(site) {
  const fields = ['total_memory', 'cpu_usage'];
  const rows = await until(site.agent, async () => {
    const question = { fields, condition: [{ uuid: AGENT }] };
    const found = await call(site, 'agent_query_dynamic_summary', site.token, question);
    return found.length > 0 && found;
  });
  const gap = Math.abs(rows[0].total_memory - totalmem());
  if (gap > 1024 ** 2) throw new Error(`another total_memory: ${JSON.stringify(rows[0])}`);
}

/** A script worker is stored and run. */
async function script(site) {
  const text = Buffer.from(SCRIPT).toString('base64');
  await call(site, 'js-worker_create', site.token, 'smoke', null, text);
  const { id } = await call(site, 'js-worker_run', site.token, 'smoke', 'call', { a: 40, b: 2 });
  const row = await until(site.server, async () => {
    const [found] = await call(site, 'js-result_query', site.token, { condition: [{ id }] });
    return found?.finish_time && found;
  });
  if (row.result?.sum !== 42) throw new Error(`another result: ${JSON.stringify(row)}`);
}

/** Both programs end with status 0 after SIGTERM. */
async function stop({ agent, server }) {
  for (const program of [agent, server]) {
    program.child.kill('SIGTERM');
    const status = await within(program.closed, `${program.name} did not end`);
    if (status !== 0) throw new Error(`${program.name} ended with status ${status}`);
  }
}

function run(site, name, args) {
  const child = spawn(process.execPath, args, { cwd: site.dir, stdio: ['ignore', 'pipe', 'pipe'] });
  const program = { name, child, text: '', closed: once(child, 'close').then(([code]) => code) };
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text) => {
      program.text += text;
    });
  site.children.push(program);
  return program;
}

/** The first answer that is not empty, as long as the program runs and the step's time is not over. */
async function until(program, ask) {
  for (const end = Date.now() + STEP_LIMIT_MS; Date.now() < end; await pause(100)) {
    const answer = await ask();
    if (answer) return answer;
    if (program.child.exitCode !== null) throw new Error(`${program.name} has ended`);
  }
  throw new Error(`nothing within ${STEP_LIMIT_MS / 1000} s`);
}

async function within(promise, problem) {
  const limit = new AbortController();
  const late = pause(STEP_LIMIT_MS, undefined, { signal: limit.signal }).then(() => {
    throw new Error(problem);
  });
  late.catch(() => {});
  try {
    return await Promise.race([promise, late]);
  } finally {
    limit.abort();
  }
}

async function call({ url }, method, ...params) {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    signal: AbortSignal.timeout(STEP_LIMIT_MS),
  });
  const { result, error } = await response.json();
  if (error) throw new Error(`${method}: ${error.code} ${error.message}`);
  return result;
}

async function freePort() {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port } = probe.address();
  probe.close();
  await once(probe, 'close');
  return port;
}
