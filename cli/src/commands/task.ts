import { Complaint } from '../io.ts';
import type { Session } from '../session.ts';

const DEFAULT_S = 60;

/** `svc run AGENT -- CMD ARGS…`: what the command printed, and 1 when it could not be run. */
export async function run(session: Session): Promise<void> {
  const target_uuid = await session.agent(session.word(0, 'AGENT'));
  const cmd = session.word(1, 'CMD');
  const task_type = { execute: { cmd, args: session.words.slice(2) } };
  const timeout_ms = (session.flags.timeout_s ?? DEFAULT_S) * 1_000;
  const params = { target_uuid, task_type, timeout_ms };
  const done = await session.client.call('task_create_task_blocking', params);
  if (session.flags.json) session.printJson(done);
  const { execute } = (done.task_event_result ?? {}) as { execute?: string };
  if (!session.flags.json && execute !== undefined)
    session.print(execute.endsWith('\n') ? execute : `${execute}\n`);
  if (!done.success) throw new Complaint(done.error_message ?? 'the agent gives no reason');
}
