// proof only: 150
/**
 * Honest agents beside attacks of every kind. `SVC_SIEGE_S` sets how long the attacks last, seconds, for a soak on a machine
 * that does nothing else: `SVC_SIEGE_S=600 node test/run.ts --proof --lanes=1 siege`.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import * as assert from 'uvu/assert';
import { makePlace, type Place } from '../process/place.ts';
import { killAtExit, rpc, type ServerProcess, startServer, superToken } from '../process/server.ts';
import { broken } from '../process/stored.ts';
import { oneDialect } from '../runner/proof.ts';
import { suite } from '../runner/suite.ts';
import { SteadyAgents } from './steady-agents.ts';

const AGENTS = 500;
const SOAK_S = Number(process.env['SVC_SIEGE_S'] ?? 0);
const ATTACK_S = SOAK_S || 40;
/** The server has so long to give memory back; where other tests run beside, it takes longer until it finds the time. */
const CALM_S = SOAK_S > 0 ? 30 : 120;
/** Only the soak measures it: other programs beside this one take the processor from the server, too. */
const LATE_MS = SOAK_S > 0 ? 1_000 : Infinity;
/** Agents report for so long before the attack: the heap of a server that has just begun still grows. */
const HONEST_S = 60;
const GROWN_MB = 30;

const test = suite(`siege (${oneDialect[0]})`);
let place: Place;
let server: ServerProcess;
let token: string;

const rssMb = (): number => {
  const status = readFileSync(`/proc/${server.child.pid}/status`, 'utf8');
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024;
};

async function call(method: string, params: unknown): Promise<any> {
  const { result, error } = await rpc(place.site.url, method, params);
  if (error) throw new Error(`${method}: ${error.message}`);
  return result;
}

const makeToken = async (...limits: unknown[]): Promise<string> => {
  const { key, secret } = await call('token_create', [token, { token_limit: limits }]);
  return `${key}:${secret}`;
};

/** What callers do on any day: scripts, logins with a password, downloads. Its threads and caches are there before the attack. */
async function honestWork(small: string): Promise<void> {
  const scripts = Array.from({ length: 8 }, () =>
    call('js-worker_run', [small, 'endless', 'call', null]),
  );
  await Promise.all(scripts);
  const password = /Root Password: (\S+)$/m.exec(server.output())?.[1];
  const logins = Array.from({ length: 8 }, (_, n) =>
    call('token_get', [`root|${password}${n === 0 ? '' : n}`]).catch(String),
  );
  assert.match(JSON.stringify(await Promise.all(logins)), /root.*Invalid credentials/s);
  const file = await fetch(`${place.site.url}/svc/static/siege/large.bin`);
  assert.is((await file.arrayBuffer()).byteLength, 32 * 2 ** 20);
}

test.before(async () => {
  place = await makePlace(oneDialect[0] as 'sqlite', { tables: '[logging]\nlog_filter = "warn"' });
  server = await startServer(place.site);
  token = superToken(server.output());
  const bucket = join(place.site.dir, 'static', 'siege');
  mkdirSync(bucket);
  writeFileSync(join(bucket, 'large.bin'), Buffer.alloc(32 * 2 ** 20));
  await call('static-bucket_create', [token, 'siege', 'siege', false, false]);
  const endless = Buffer.from('export default { onCall() { for (;;); } }').toString('base64');
  const worker = { name: 'endless', js_script_base64: endless, max_run_time: 2_000 };
  await call('js-worker_create', { token, ...worker });
});

test.after(async () => {
  await server?.end('SIGTERM');
  await place?.remove();
});

test(`${AGENTS} agents lose nothing${SOAK_S > 0 ? ' and wait for nothing' : ''} while the server is attacked in every way`, async () => {
  const reporting = await makeToken({
    scopes: ['global'],
    permissions: [{ dynamic_monitoring_summary: 'write' }],
  });
  const small = await makeToken({
    scopes: [{ js_worker: 'endless' }],
    permissions: [{ js_worker: 'run_defined_js_worker' }],
  });
  const agents = new SteadyAgents(place.site.url, reporting);
  await agents.add(AGENTS);
  await honestWork(small);
  await pause(HONEST_S * 1_000);
  const before = rssMb();
  const program = join(import.meta.dirname, 'attackers.ts');
  const attackers = spawn(process.execPath, [program, place.site.url, small], {
    stdio: ['pipe', 'inherit', 'inherit'],
  });
  killAtExit(attackers);
  let peak = before;
  for (let seconds = 0; seconds < ATTACK_S; seconds++) {
    await pause(1_000);
    peak = Math.max(peak, rssMb());
    assert.is(server.child.exitCode, null, server.output());
  }
  assert.is(attackers.exitCode, null, 'the attackers gave up');
  attackers.stdin?.end();
  await once(attackers, 'close');
  for (let seconds = 0; seconds < CALM_S; seconds++) {
    await pause(1_000);
    if (SOAK_S === 0 && rssMb() - before <= GROWN_MB) break;
  }
  const after = rssMb();
  await agents.stop();

  const { acknowledged, troubles, waits } = agents.seen;
  waits.sort((a, b) => a - b);
  const at = (share: number) => waits[Math.floor((waits.length - 1) * share)] as number;
  const late = waits.filter((wait) => wait > LATE_MS).length;
  process.stderr.write(
    `${waits.length} reports, answered in p50 ${at(0.5).toFixed(1)}, p99 ${at(0.99).toFixed(0)}, at most ${at(1).toFixed(0)} ms; ` +
      `RSS ${before.toFixed(0)} MB, at most ${peak.toFixed(0)}, ${after.toFixed(0)} after it\n`,
  );
  assert.equal(troubles.slice(0, 3), []);
  assert.is(late, 0, `${late} of ${waits.length} reports waited for more than ${LATE_MS} ms`);
  assert.equal(await broken(place.read, acknowledged), []);
  assert.ok(after - before <= GROWN_MB, `${before.toFixed(0)} MB became ${after.toFixed(0)}`);
});

test.run();
