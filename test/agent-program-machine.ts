/** Machines made of the files in which Linux tells about itself. */
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { Machine } from '../agent/src/collect/machine.ts';

const dir = mkdtempSync(join(tmpdir(), 'svc-agent-'));
let machines = 0;

/** A machine with these files (path → text, or `-> target` for a link), and a function that changes one. */
export function machineOf(files: Readonly<Record<string, string>>) {
  machines += 1;
  const root = join(dir, `${machines}`);
  const write = (path: string, text: string) => {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    if (text.startsWith('-> ')) symlinkSync(text.slice(3), join(root, path));
    else writeFileSync(join(root, path), text);
  };
  for (const [path, text] of Object.entries(files)) write(path, text);
  return { machine: new Machine(root), root, write };
}

export const removeMachines = (): void => rmSync(dir, { recursive: true, force: true });
