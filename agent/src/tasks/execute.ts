import { isListed } from '../command-list.ts';
import { readObject, readText, readTexts } from '../content.ts';
import type { TaskHandler } from '../task-context.ts';
import { CapturedOutput, composeOutput, withNewline } from './captured-output.ts';
import { type Ending, runProgram } from './run-program.ts';

/**
 * Runs a program without a shell and returns its output. A status other than 0 is no failure: a last line tells it.
 * @throws Error when the agent's file does not allow it, when it cannot be started or takes longer than 60 s
 */
export const execute: TaskHandler = async (content, { runtime, server, signal }) => {
  const members = readObject(content, 'execute');
  const cmd = readText(members['cmd'], 'cmd');
  const args = readTexts(members['args'], 'args');
  if (server.execute_only && !isListed(server.execute_only, cmd, args)) {
    throw new Error("Permission Denied: execute_only in the agent's file lists no such command");
  }
  const { clock, config } = runtime;
  const limit = config.exec_max_character;
  const stdout = new CapturedOutput(limit);
  const stderr = new CapturedOutput(limit);
  const ending = await runProgram({ cmd, args, stdout, stderr, clock }, signal);
  const output = composeOutput(stdout, stderr, limit);
  const trailer = trailerOf(ending);
  return trailer === '' ? output : `${withNewline(output)}${trailer}`;
};

function trailerOf({ code, killed_by }: Ending): string {
  if (killed_by !== null) return `[Process ended by signal ${killed_by}]`;
  return code === 0 ? '' : `[Process exited with code ${code}]`;
}
