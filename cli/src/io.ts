import type { Readable, Writable } from 'node:stream';

/** Surroundings of the program: those of `process`, or a test's. */
export interface Surroundings {
  readonly stdin: Readable & { isTTY?: boolean; setRawMode?(isRaw: boolean): unknown };
  readonly stdout: Writable & { isTTY?: boolean; columns?: number; rows?: number };
  readonly stderr: Writable & { isTTY?: boolean };
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** Error that the user can correct: printed without a stack, with exit code 1; 2 for a wrong command line. */
export class Complaint extends Error {
  readonly exit: 1 | 2;

  constructor(message: string, exit: 1 | 2 = 1) {
    super(message);
    this.exit = exit;
  }
}

/** All of standard input as text. */
export async function readAll({ stdin }: Surroundings): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of stdin) parts.push(Buffer.from(part));
  return Buffer.concat(parts).toString('utf8');
}

/** One line: what is typed on a terminal is not shown, what comes through a pipe is read. */
export async function readSecret(io: Surroundings, question: string): Promise<string> {
  const { stdin, stderr } = io;
  if (!stdin.isTTY) return (await readAll(io)).trim();
  stderr.write(question);
  stdin.setRawMode?.(true);
  let typed = '';
  try {
    for await (const part of stdin) {
      for (const letter of String(part)) {
        if (letter === '\r' || letter === '\n') return typed.trim();
        if (letter === '\u0003' || letter === '\u0004') throw new Complaint('nothing was saved');
        typed = letter === '\u007f' ? typed.slice(0, -1) : typed + letter;
      }
    }
    return typed.trim();
  } finally {
    stdin.setRawMode?.(false);
    stderr.write('\n');
  }
}
