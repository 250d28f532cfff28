// proof only: 20
/**
 * A server whose process stands still for longer than the others wait, and goes on (a paused virtual machine, a laptop's
 * lid): it serves nothing that was taken away meanwhile, runs no job twice, and its agents are found again.
 */
import { setTimeout as pause } from 'node:timers/promises';
import * as assert from 'uvu/assert';
import { type AgentsLog, RoamingAgent } from './process/agents.ts';
import { type Fleet, type Member, startFleet } from './process/fleet.ts';
import { until } from './process/havoc.ts';
import { rpc } from './process/server.ts';
import { agents as agentJob } from './protocol/crontab-kit.ts';
import { suite } from './runner/suite.ts';

const PLUGINS = ['server-info', 'token', 'agent', 'agent-uuid', 'task', 'crontab'];

/** Longer than the others wait for a server, and than it takes its own memory for fresh. */
const ASLEEP_MS = 3_500;

/** Notes every claim of a run and every task of a job, whatever becomes of the rows later. */
const AUDIT = `
  create table audit_claim (at bigint);
  create table audit_task (at bigint);
  create function audit_claims() returns trigger language plpgsql as $$ begin
    insert into audit_claim values (new.last_run_time); return new; end $$;
  create function audit_tasks() returns trigger language plpgsql as $$ begin
    insert into audit_task values (new.created_at); return new; end $$;
  create trigger audit_claim after update on crontab for each row
    when (new.last_run_time is distinct from old.last_run_time) execute function audit_claims();
  create trigger audit_task after insert on task for each row
    when (new.cron_source is not null) execute function audit_tasks();`;

const test = suite('many servers: one sleeps (postgres)');
let fleet: Fleet;
let sleeper: Member;
let other: Member;
let agent: RoamingAgent;
const log: AgentsLog = { acknowledged: [], refused: [], received: new Map(), closes: [] };

const ask = (member: Member, method: string, ...params: unknown[]) =>
  rpc(member.site.url, method, params);
const call = async (method: string, ...params: unknown[]): Promise<any> => {
  const { result, error } = await ask(other, method, fleet.superToken, ...params);
  if (error) throw new Error(`${method}: ${error.message}`);
  return result;
};
const blocking = () =>
  ask(other, 'task_create_task_blocking', fleet.superToken, agent.uuid, 'ip', 5_000);
const count = async (table: string): Promise<number> =>
  Number((await fleet.read(`select count(*) as n from ${table}`))[0]!['n']);

test.before(async () => {
  const tables = '[logging]\nlog_filter = "warn"\n';
  fleet = await startFleet(2, { head: `plugins = ${JSON.stringify(PLUGINS)}`, tables });
  await fleet.read(AUDIT);
  [sleeper, other] = fleet.members as [Member, Member];
  agent = new RoamingAgent([sleeper], fleet.superToken, log);
  await until('the agent', () => agent.member);
  await until('a task across servers', async () => (await blocking()).result?.success);
});
test.after(async () => {
  sleeper?.process?.child.kill('SIGCONT');
  await agent?.stop();
  await fleet?.remove();
});

test('a call that waited for it is refused when its token was deleted meanwhile', async () => {
  const { key, secret } = await call('token_create', { token_limit: [] });
  const token = `${key}:${secret}`;
  await until('the token', async () => (await ask(sleeper, 'token_get', token)).result);
  await call('crontab_create', 'job', '* * * * * *', agentJob([agent.uuid]));
  await until('some runs', async () => (await count('audit_claim')) >= 2);
  sleeper.process!.child.kill('SIGSTOP');
  const since = performance.now();
  await until('the sleeper is gone', async () =>
    /is not connected$/.test((await blocking()).error?.message),
  );
  await call('token_delete', key);
  const waiting = Array.from({ length: 5 }, () => ask(sleeper, 'token_get', token));
  await pause(Math.max(200, since + ASLEEP_MS - performance.now()));
  sleeper.process!.child.kill('SIGCONT');
  for (const answer of await Promise.all(waiting)) {
    assert.is(answer.error?.code, 102, JSON.stringify(answer));
  }
});

test('its agents, which never noticed, are found again by the other server', async () => {
  await until('a task across servers', async () => (await blocking()).result?.success, 20_000);
  assert.equal(log.closes, []);
});

test('each tick was run once', async () => {
  await call('crontab_set_enable', 'job', false);
  const claims = await fleet.read('select at from audit_claim order by at');
  const ticks = claims.map(({ at }) => Math.floor(Number(at) / 1_000));
  assert.is(new Set(ticks).size, ticks.length);
  // A run that found the agent's server dead and the agent not yet anywhere else takes its task back and records that.
  const records = () => count(`crontab_result where cron_name = 'job'`);
  await until('a record of each run', async () => (await records()) >= ticks.length);
  await pause(2_500);
  assert.is(await records(), ticks.length);
  const tasks = await count('audit_task');
  assert.ok(tasks >= 2 && tasks <= ticks.length, `${tasks} tasks of ${ticks.length} runs`);
});

test.run();
