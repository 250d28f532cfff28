import { constants } from 'node:os';
import { Complaint } from '../io.ts';
import { machineOf } from '../machines.ts';
import type { Session } from '../session.ts';
import { howToAllow, NOT_ALLOWED } from '../task-kinds.ts';

const DEFAULT_S = 60;

/** `svc run AGENT -- CMD ARGS…`: what the command printed. @returns its status; 1 when it could not be run is a Complaint */
export async function run(session: Session): Promise<number> {
  const target_uuid = await machineOf(session, session.word(0, 'AGENT'));
  const cmd = session.word(1, 'CMD');
  const task_type = { execute: { cmd, args: session.words.slice(2) } };
  const timeout_ms = (session.flags.timeout_s ?? DEFAULT_S) * 1_000;
  const params = { target_uuid, task_type, timeout_ms };
  const done = await session.client.call('task_create_task_blocking', params);
  const { execute = '' } = (done.task_event_result ?? {}) as { execute?: string };
  const { out, err, status } = parts(execute);
  if (session.flags.json) session.printJson(done);
  else {
    // The prompt begins on a line of its own.
    const isOpen = session.io.stdout.isTTY && out !== '' && !out.endsWith('\n');
    session.print(isOpen ? `${out}\n` : out);
    session.printError(err);
  }
  if (done.error_message === NOT_ALLOWED)
    throw new Complaint(`this agent runs no commands (execute): ${howToAllow('execute')}`);
  if (!done.success) throw new Complaint(done.error_message ?? 'the agent gives no reason');
  return status;
}

const ENDED = /(?:^|(?<=\n))\[Process (?:exited with code (-?\d+)|ended by signal (SIG\w+))\]\n?$/;
const STDERR = '--- STDERR ---\n';

/** Parts of the one text that an agent sends: standard output, a marker, standard error, and how the command ended where that was no success (clients.md §2.8). */
function parts(text: string): { out: string; err: string; status: number } {
  const [trailer = '', code, signal] = ENDED.exec(text) ?? [];
  const both = text.slice(0, text.length - trailer.length);
  const at = both.startsWith(STDERR) ? 0 : both.indexOf(`\n${STDERR}`) + 1;
  const hasErr = at > 0 || both.startsWith(STDERR);
  const [out, err] = hasErr ? [both.slice(0, at), both.slice(at + STDERR.length)] : [both, ''];
  return { out, err, status: statusOf(code, signal) };
}

/** Exit status of a command that a signal ended, as shells count: 128 and the number of the signal. */
function statusOf(code: string | undefined, signal: string | undefined): number {
  if (signal !== undefined) return 128 + (constants.signals[signal as NodeJS.Signals] ?? 0);
  const status = Number(code ?? 0);
  return status >= 0 && status <= 255 ? status : 1;
}
