import { setTimeout as pause } from 'node:timers/promises';
import type { RoamingAgent } from './agents.ts';
import type { Fleet, Member } from './fleet.ts';
import { rpc } from './server.ts';

export const any = <T>(list: readonly T[]): T => list[Math.floor(Math.random() * list.length)]!;
export const up = (fleet: Fleet): Member[] => fleet.members.filter((member) => member.process);

export async function until(what: string, holds: () => unknown, limit_ms = 60_000): Promise<void> {
  for (const end = Date.now() + limit_ms; !(await holds()); await pause(50)) {
    if (Date.now() > end) throw new Error(`${what}: not within ${limit_ms} ms`);
  }
}

/** What the kills were. */
export interface Havoc {
  kills: number;
  /** From a kill until an agent of the killed server carries out a task for another one. */
  readonly failovers_ms: number[];
}

/** After a start, before the next kill: agents come to the server that was started too. */
const CALM_MS = 2_500;

/** Until `end` (Unix ms) kills any server every few seconds and starts it again; the others are up all the time. */
export async function havoc(
  fleet: Fleet,
  agents: readonly RoamingAgent[],
  end: number,
): Promise<Havoc> {
  const done: Havoc = { kills: 0, failovers_ms: [] };
  const reached: Promise<number>[] = [];
  while (Date.now() < end) {
    await pause(500 + Math.random() * 2_000);
    const member = any(fleet.members);
    const orphan = agents.find((agent) => agent.member === member);
    const killed_at = performance.now();
    await fleet.end(member, 'SIGKILL');
    done.kills++;
    if (orphan) reached.push(failover(fleet, orphan, killed_at));
    await pause(Math.random() * 1_000);
    await fleet.start(member);
    await pause(CALM_MS);
  }
  done.failovers_ms.push(...(await Promise.all(reached)));
  return done;
}

async function failover(fleet: Fleet, { uuid }: RoamingAgent, killed_at: number): Promise<number> {
  const attempts: Promise<unknown>[] = [];
  let reached_ms: number | undefined;
  const attempt = async () => {
    const params = [fleet.superToken, uuid, 'ip', 5_000];
    const { url } = any(up(fleet)).site;
    // The server that is asked may be the next one that is killed.
    const answer = await rpc(url, 'task_create_task_blocking', params).catch(() => undefined);
    if (answer?.result?.success) reached_ms ??= performance.now() - killed_at;
  };
  // Side by side: one that was on its way to the killed server waits until that is known to be dead.
  await until('an agent of the killed server is reached', () => {
    attempts.push(attempt());
    return reached_ms !== undefined;
  });
  await Promise.all(attempts);
  return reached_ms!;
}
