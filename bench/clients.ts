import { execFile, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';

const root = resolve(import.meta.dirname, '..');

/** What a load client prints as its last line. */
export interface LoadResult {
  readonly rate: number;
  readonly p50_ms: number;
  readonly p99_ms: number;
  readonly acked?: number;
  readonly ok?: number;
  readonly failed: number;
  readonly first_error: string | null;
}

/** Command and leading arguments of one load client. */
function client(name: 'agentload' | 'rpcload'): string[] {
  const named = process.env[`SVC_${name.toUpperCase()}`];
  if (named) return [named];
  const built = join(root, 'node_modules', '.cache', 'bench', name);
  if (existsSync(built) || goBuild(name, built)) return [built];
  return [process.execPath, join(import.meta.dirname, 'client.mjs'), name];
}

/** True when a Go compiler is there and could build the tool. */
function goBuild(name: string, target: string): boolean {
  mkdirSync(join(target, '..'), { recursive: true });
  const cwd = join(import.meta.dirname, 'tools', name);
  return spawnSync('go', ['build', '-o', target, '.'], { cwd, stdio: 'ignore' }).status === 0;
}

/** Which clients measure: `go` or `node`. */
export const clientKind = (): string =>
  ['agentload', 'rpcload'].every((name) => client(name as 'agentload').length === 1)
    ? 'go'
    : 'node';

/** One GET again and again over kept connections. */
export async function runHttpLoad(
  url: string,
  conns: number,
  seconds: number,
): Promise<LoadResult> {
  const args = [join(import.meta.dirname, 'http-load.mjs'), url, String(conns), String(seconds)];
  const { stdout } = await promisify(execFile)(process.execPath, args, { timeout: 1_200_000 });
  return sound('http-load', JSON.parse(stdout) as LoadResult);
}

/** @throws Error when a call failed */
function sound(name: string, result: LoadResult): LoadResult {
  if (result.failed > 0 || result.first_error) {
    throw new Error(`${name}: ${result.failed} failed, first: ${result.first_error}`);
  }
  return result;
}

/** Runs a load client; `ends` ends agentload before its time. @throws Error when it fails or a call did */
export async function runLoad(
  name: 'agentload' | 'rpcload',
  options: Record<string, string | number>,
  ends?: AbortSignal,
): Promise<LoadResult> {
  const [command, ...leading] = client(name) as [string, ...string[]];
  const flags = Object.entries(options).flatMap(([flag, value]) => [`-${flag}`, String(value)]);
  const running = promisify(execFile)(command, [...leading, ...flags], {
    timeout: 1_200_000,
    maxBuffer: 1 << 26,
  });
  ends?.addEventListener('abort', () => running.child.kill('SIGINT'));
  const { stdout } = await running;
  return sound(name, JSON.parse(stdout.trim().split('\n').at(-1) ?? '') as LoadResult);
}
