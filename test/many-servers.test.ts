// proof only: 110
/**
 * Three servers on one Postgres database, 200 agents, tasks and jobs, and a server killed every few seconds: no report that
 * was answered is lost, every task is answered or fails with a clear error, and each job fires once per tick. The servers
 * talk through the database; in the long form then over NATS, half as long.
 */
import { randomUUID } from 'node:crypto';
import * as assert from 'uvu/assert';
import { natsBinary, startNats, type TestNats } from './nats.ts';
import { type AgentsLog, RoamingAgent } from './process/agents.ts';
import { startCallers } from './process/callers.ts';
import { type Fleet, startFleet } from './process/fleet.ts';
import { any, type Havoc, havoc, until, up } from './process/havoc.ts';
import { rpc } from './process/server.ts';
import { broken } from './process/stored.ts';
import { agents as agentJob } from './protocol/crontab-kit.ts';
import { isProof, loop } from './runner/proof.ts';
import { suite } from './runner/suite.ts';

const SECONDS = loop(5, 30);
const AGENTS = 200;
const CALLERS = 8;
const JOBS = 4;
const AGENTS_OF_A_JOB = 3;
const TICK_MS = 2_000;
/** Far above what an instant agent needs, so only lost tasks are given up. */
const GIVEN_UP_MS = 8_000;
/** What a caller may hear of a task that was not carried out. */
const CLEAR = /^Unable to connect agent: .*|^Other error: Task \d+ timed out after 5000ms$/;

const PLUGINS = ['server-info', 'token', 'agent', 'agent-uuid', 'task', 'crontab'];
const TABLES = `[task]\nfail_running_after_ms = ${GIVEN_UP_MS}\n[logging]\nlog_filter = "warn"\n`;

/** Notes every claim of a run and every task of a job, whatever becomes of the rows later. */
const AUDIT = `
  create table audit_claim (job text, at bigint);
  create table audit_task (job text, agent text, at bigint);
  create function audit_claims() returns trigger language plpgsql as $$ begin
    insert into audit_claim values (new.name, new.last_run_time); return new; end $$;
  create function audit_tasks() returns trigger language plpgsql as $$ begin
    insert into audit_task values (new.cron_source, new.uuid, new.created_at); return new; end $$;
  create trigger audit_claim after update on crontab for each row
    when (new.last_run_time is distinct from old.last_run_time) execute function audit_claims();
  create trigger audit_task after insert on task for each row
    when (new.cron_source is not null) execute function audit_tasks();`;

function define(bus: 'Postgres' | 'NATS', seconds: number): void {
  const test = suite(`many servers (bus over ${bus})`);
  let fleet: Fleet;
  let nats: TestNats | undefined;
  let agents: RoamingAgent[] = [];
  let killed: Havoc;
  const log: AgentsLog = { acknowledged: [], refused: [], received: new Map(), closes: [] };

  const call = async (method: string, ...params: unknown[]): Promise<any> => {
    const { url } = any(up(fleet)).site;
    const { result, error } = await rpc(url, method, [fleet.superToken, ...params]);
    if (error) throw new Error(`${method}: ${error.message}`);
    return result;
  };
  const count = async (where: string): Promise<number> =>
    Number((await fleet.read(`select count(*) as n from task where ${where}`))[0]!['n']);
  /** Failovers took the two to three seconds that they take where the machine is not busy. */
  const calm = () => killed.failovers_ms.every((ms) => ms < 4_000);
  const allRegistered = () => agents.every(({ member }) => member);

  test.before(async () => {
    if (bus === 'NATS') nats = await startNats();
    const plugins = nats ? [...PLUGINS, 'bus-nats'] : PLUGINS;
    const section = nats ? `[bus-nats]\nservers = ["${nats.address}"]\n` : '';
    const head = `plugins = ${JSON.stringify(plugins)}`;
    fleet = await startFleet(3, { head, tables: TABLES + section });
    await fleet.read(AUDIT);
    agents = Array.from(
      { length: AGENTS },
      () => new RoamingAgent(fleet.members, fleet.superToken, log),
    );
    await until('all agents are registered', allRegistered);
  });
  test.after(async () => {
    await Promise.all(agents.map((agent) => agent.stop()));
    await fleet?.remove();
    await nats?.stop();
  });

  test(`servers are killed at random for ${seconds} s, and every call gets an answer or a clear error`, async () => {
    for (let n = 0; n < JOBS; n++) {
      const some = Array.from({ length: AGENTS_OF_A_JOB }, () => any(agents).uuid);
      await call('crontab_create', `job ${n}`, `*/${TICK_MS / 1_000} * * * * *`, agentJob(some));
    }
    const callers = startCallers(CALLERS, fleet, () => any(agents).uuid);
    killed = await havoc(fleet, agents, Date.now() + seconds * 1_000);
    for (let n = 0; n < JOBS; n++) await call('crontab_set_enable', `job ${n}`, false);
    await callers.stop();
    const { answered, errors, cut, unanswered } = callers.log;
    process.stdout.write(
      `  ${killed.kills} kills, ${log.acknowledged.length} reports; tasks: ${answered} answered, ${errors.length} refused, ${cut} cut off\n`,
    );
    assert.equal(unanswered.slice(0, 5), []);
    const unclear = errors.filter(({ message }) => !CLEAR.test(message));
    assert.equal(unclear.slice(0, 5), []);
    assert.ok(answered > seconds, `only ${answered} tasks were answered`);
  });

  test('an agent of a killed server is reached through another one within seconds', () => {
    const sorted = killed.failovers_ms.toSorted((a, b) => a - b);
    const at = (q: number) => `${sorted[Math.floor(q * (sorted.length - 1))]?.toFixed(0)} ms`;
    process.stdout.write(
      `  failover, 1,500 ms of hold included: ${at(0)} least, ${at(0.5)} median, ${at(1)} most\n`,
    );
    assert.ok(sorted.length > 0);
    assert.ok(sorted.at(-1)! < 30_000, at(1));
  });

  test('each job fired once per tick, for each of its agents', async () => {
    // A run of a server that was killed before it stored the tasks is made up for once its death is known.
    const inserted = async (name: string) =>
      (await fleet.read(`select agent from audit_task where job = '${name}'`)).length;
    // Where the machine is busy an agent may be away for longer than its server's death is unknown.
    const away = async (name: string) => {
      const where = `cron_name = '${name}' and message like '%is not connected'`;
      return (await fleet.read(`select id from crontab_result where ${where}`)).length;
    };
    for (let n = 0; n < JOBS; n++) {
      const name = `job ${n}`;
      const claims = await fleet.read(
        `select at from audit_claim where job = '${name}' order by at`,
      );
      const ticks = claims.map(({ at }) => Math.floor(Number(at) / TICK_MS));
      assert.equal(ticks, [...new Set(ticks)], `ticks of ${name}`);
      const passed = ticks.at(-1)! - ticks[0]! + 1;
      // Servers that got no processor for a whole tick run the next one; that happens once at most on a calm machine.
      const unrun = calm() ? 1 : passed / 4;
      assert.ok(ticks.length >= passed - unrun, `${ticks.length} of ${passed} ticks of ${name}`);
      assert.ok(passed >= (seconds * 1_000) / TICK_MS - 2, `${passed} ticks`);
      const wanted = ticks.length * AGENTS_OF_A_JOB;
      await until(
        `${wanted} tasks of ${name}`,
        async () => (await inserted(name)) + (await away(name)) >= wanted,
      );
      const tasks = await inserted(name);
      const least = (calm() ? 0.9 : 0.5) * wanted;
      assert.ok(tasks >= least && tasks <= wanted, `${tasks} of ${wanted} tasks of ${name}`);
    }
  });

  test('no task came to an agent twice, and none stays without an end', async () => {
    const twice = [...log.received].filter(([, times]) => times > 1);
    assert.equal(twice, []);
    await until('all tasks have ended', async () => (await count('success is null')) === 0);
    assert.is(await count(`not success and coalesce(error_message, '') = ''`), 0);
  });

  test('no report that was answered is lost, none was refused', async () => {
    assert.equal(log.refused.slice(0, 5), []);
    assert.equal((await broken(fleet.read, log.acknowledged)).slice(0, 5), []);
  });

  test('agents that a killed server takes with it are known to be gone once its death is', async () => {
    const agent = any(agents.filter(({ member }) => member));
    const { member } = agent;
    agents = agents.filter((other) => other !== agent);
    agent.perish();
    const begun = performance.now();
    await fleet.end(member!, 'SIGKILL');
    await until('a clear refusal', async () => {
      const refused = await call('task_create_task', agent.uuid, 'ip').catch((error) => error);
      return /is not connected$/.test(refused.message);
    });
    const took_ms = performance.now() - begun;
    process.stdout.write(
      `  a killed server's agents are forgotten after ${took_ms.toFixed(0)} ms\n`,
    );
    await fleet.start(member!);
  });

  test('a rolling restart loses no report and closes every connection with 1001', async () => {
    const codes = log.closes.length;
    const before = log.acknowledged.length;
    for (const member of fleet.members) {
      await until('every agent is registered', allRegistered);
      await fleet.end(member, 'SIGTERM');
      await fleet.start(member);
    }
    await until('every agent is registered', allRegistered);
    await until('reports go on', () => log.acknowledged.length > before + AGENTS);
    assert.equal([...new Set(log.closes.slice(codes))], [1001]);
    await Promise.all(agents.map((agent) => agent.stop()));
    assert.equal(log.refused.slice(0, 5), []);
    assert.equal((await broken(fleet.read, log.acknowledged)).slice(0, 5), []);
  });

  test('an unknown agent is refused at once, whatever happened before', async () => {
    const times: number[] = [];
    while (times.length < 3 && !times.some((ms) => ms < 4_500)) {
      const begun = performance.now();
      const refused = await call('task_create_task', randomUUID(), 'ip').catch((error) => error);
      assert.match(refused.message, 'is not connected');
      times.push(performance.now() - begun);
    }
    // Another server's answer that does not come is waited for five seconds, each time.
    assert.ok(Math.min(...times) < 4_500, times.join());
  });

  test.run();
}

define('Postgres', SECONDS);
if (isProof && natsBinary) define('NATS', SECONDS / 2);
if (isProof && !natsBinary) {
  const test = suite('many servers (bus over NATS)');
  test.skip('nats-server is not installed', () => {});
  test.run();
}
