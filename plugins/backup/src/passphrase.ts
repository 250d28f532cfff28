import { readFile } from 'node:fs/promises';
import { UserError } from '@svc/plugin-sdk';
import type { CommandTerminal } from '@svc/plugin-sdk/kernel';

/** Source of a passphrase: never an argument, which other users of the machine can see. */
export interface PassphraseSource {
  readonly terminal: CommandTerminal;
  /** Its first line. */
  readonly file: string | undefined;
  /** A new one is asked for twice. */
  readonly isNew: boolean;
}

const LEAST_CHARACTERS = 8;

/** @throws UserError when there is none, or a new one is short or was mistyped */
export async function passphraseFrom({ terminal, file, isNew }: PassphraseSource): Promise<string> {
  const ask = (prompt: string) =>
    process.stdin.isTTY ? askHidden(terminal, prompt) : terminal.ask(prompt);
  const found = file === undefined ? await ask('Passphrase: ') : await firstLineOf(file);
  if (!found) throw new UserError('the secrets of a backup need a passphrase');
  if (isNew && found.length < LEAST_CHARACTERS)
    throw new UserError(`the passphrase needs at least ${LEAST_CHARACTERS} characters`);
  if (isNew && file === undefined && (await ask('Once more: ')) !== found)
    throw new UserError('the two passphrases differ');
  return found;
}

async function firstLineOf(file: string): Promise<string | undefined> {
  const text = await readFile(file, 'utf8').catch((error: Error) => {
    throw new UserError(`cannot read the passphrase: ${error.message}`);
  });
  return text.split(/\r?\n/, 1)[0];
}

/** A line of the terminal that is not shown. */
async function askHidden(terminal: CommandTerminal, prompt: string): Promise<string | undefined> {
  const { stdin, stderr } = process;
  // Before the prompt: an answer may come at once. The prompt takes the place of a line that says how far the work is.
  stdin.setRawMode(true);
  terminal.progress(prompt);
  let line = '';
  try {
    for await (const chunk of stdin.iterator({ destroyOnReturn: false }))
      for (const key of String(chunk)) {
        if (key === '\r' || key === '\n') return line;
        if (key === '\u0003' || key === '\u0004') return undefined;
        line = key === '\u007f' || key === '\b' ? line.slice(0, -1) : line + key;
      }
    return undefined;
  } finally {
    stdin.setRawMode(false);
    stdin.pause();
    stderr.write('\n');
  }
}
