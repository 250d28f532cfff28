import type { Fleet, Member } from './fleet.ts';
import { rpc } from './server.ts';

/** How the calls of these callers ended. */
export interface CallsLog {
  answered: number;
  /** Error answers: code and text. */
  readonly errors: { readonly code: number; readonly message: string }[];
  /** Calls without an answer whose server had been ended meanwhile. */
  cut: number;
  /** Calls without an answer although their server ran on: text of the failure. */
  readonly unanswered: string[];
}

/** Callers that create blocking tasks one after the other, each over any server for any agent, until `stop`. */
export function startCallers(
  count: number,
  fleet: Fleet,
  pickAgent: () => string,
): { readonly log: CallsLog; stop(): Promise<void> } {
  const log: CallsLog = { answered: 0, errors: [], cut: 0, unanswered: [] };
  let stopping = false;
  const caller = async () => {
    while (!stopping) {
      const up = fleet.members.filter((member) => member.process);
      const member = up[Math.floor(Math.random() * up.length)];
      if (member) await call(member, fleet.superToken, pickAgent(), log);
      await new Promise((done) => setTimeout(done, 20));
    }
  };
  const running = Promise.all(Array.from({ length: count }, caller));
  return {
    log,
    async stop() {
      stopping = true;
      await running;
    },
  };
}

async function call(member: Member, token: string, agent: string, log: CallsLog): Promise<void> {
  const { ends } = member;
  try {
    const params = [token, agent, 'ip', 5_000];
    const { result, error } = await rpc(member.site.url, 'task_create_task_blocking', params);
    if (error) log.errors.push({ code: error.code, message: error.message });
    else if (result.success === true) log.answered++;
    else log.unanswered.push(JSON.stringify(result));
  } catch (error) {
    // The end of a process is noted before its signal is sent.
    if (member.ends !== ends) log.cut++;
    else log.unanswered.push(`${error}: ${(error as Error).cause}`);
  }
}
