/** A machine that is enrolled by the real script: a folder of its own, a shell, and what they leave. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface Outcome {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** Runs a line in a shell, as a person would. */
export async function shell(line: string, { program = 'sh', env = {} } = {}): Promise<Outcome> {
  const child = spawn(program, ['-c', line], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const seen = { out: '', err: '' };
  child.stdout.on('data', (chunk) => {
    seen.out += chunk;
  });
  child.stderr.on('data', (chunk) => {
    seen.err += chunk;
  });
  const [code] = (await once(child, 'close')) as [number | null];
  return { code: code ?? -1, ...seen };
}

export class Machine {
  readonly home: string;
  readonly dir: string;

  private constructor(home: string) {
    this.home = home;
    this.dir = join(home, 'agent');
  }

  static make = async (): Promise<Machine> =>
    new Machine(await mkdtemp(join(tmpdir(), 'svc-machine-')));

  /** The line of `enrol_create`, with options behind it. */
  run(line: string, options = '', program = 'sh'): Promise<Outcome> {
    const whole = `${line} --prefix ${this.dir} --no-service ${options}`;
    return shell(whole, { program, env: { HOME: this.home } });
  }

  /** The script that was left there. */
  manage(options: string): Promise<Outcome> {
    return this.run(`sh ${this.dir}/install.sh`, options);
  }

  file(name: string): Promise<string> {
    return readFile(join(this.dir, name), 'utf8');
  }

  get isThere(): boolean {
    return existsSync(this.dir);
  }

  async remove(): Promise<void> {
    if (existsSync(join(this.dir, 'install.sh'))) await this.manage('--uninstall');
    await rm(this.home, { recursive: true, force: true });
  }
}
