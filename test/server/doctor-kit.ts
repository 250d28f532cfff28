/** The commands `doctor` and `upgrade-check` as programs, and what they say. */
import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import type { Finding } from '@svc/plugin-sdk';
import * as assert from 'uvu/assert';
import type { Place } from '../process/place.ts';
import { serverCommand } from '../process/server.ts';

type Command = 'doctor' | 'upgrade-check';

export interface Report {
  readonly code: number;
  readonly ok: boolean;
  readonly findings: readonly Finding[];
}

/** The machine on which the program runs. */
export interface Machine {
  readonly env?: NodeJS.ProcessEnv;
  /** A shell command that it runs in a mount namespace of its own, before the program. */
  readonly mounts?: string;
}

export function run(
  args: readonly string[],
  cwd: string,
  { env, mounts }: Machine = {},
): Promise<{ code: number; out: string; err: string }> {
  const program = [process.execPath, ...serverCommand(), ...args];
  const [file = '', ...rest] =
    mounts === undefined
      ? program
      : ['unshare', '-rm', 'sh', '-c', `${mounts} && exec "$@"`, 'sh', ...program];
  return new Promise((done) => {
    execFile(file, rest, { cwd, env: { ...process.env, ...env } }, (error, out, err) =>
      done({ code: Number(error?.code ?? 0), out, err }),
    );
  });
}

export async function examine(
  { site }: Place,
  command: Command = 'doctor',
  machine?: Machine,
): Promise<Report> {
  const { code, out, err } = await run([command, '-c', site.config, '--json'], site.dir, machine);
  assert.is(err, '');
  const { ok, findings } = JSON.parse(out);
  assert.is(code, ok ? 0 : 1, out);
  return { code, ok, findings };
}

export const list = ({ findings }: Report) =>
  findings.map(
    ({ area, level, message, advice = '' }) => `${area} ${level}: ${message} → ${advice}`,
  );
export const problems = (found: Report) => list(found).filter((line) => / problem: /.test(line));

/** Each of these texts is in the report. */
export function tells(found: Report, ...wanted: RegExp[]): void {
  const lines = list(found);
  for (const pattern of wanted)
    assert.ok(
      lines.some((line) => pattern.test(line)),
      `${pattern}\n${lines.join('\n')}`,
    );
}

export const change = ({ site }: Place, edit: (text: string) => string): void =>
  writeFileSync(site.config, edit(readFileSync(site.config, 'utf8')));
