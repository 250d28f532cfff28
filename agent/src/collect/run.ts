import { type ExecFileOptions, execFile } from 'node:child_process';
import { promisify } from 'node:util';

/** Output of a program. Only machines that need one load this. @throws Error with its reason, or when its time is over */
export async function run(
  program: string,
  args: readonly string[],
  options: ExecFileOptions,
): Promise<string> {
  const { stdout } = await promisify(execFile)(program, args, { ...options, encoding: 'utf8' });
  return stdout;
}
