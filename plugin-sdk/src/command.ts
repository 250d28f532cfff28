import type { ParseArgsConfig } from 'node:util';

export type CommandOption = NonNullable<ParseArgsConfig['options']>[string] & {
  /** Effect of the option, for the help. */
  readonly description?: string;
  /** Name of its value there. Default: the name in capitals. */
  readonly value?: string;
};

export interface CommandArguments {
  readonly words: readonly string[];
  /** Values by the names of the options; those that were not given are absent. */
  readonly values: Readonly<Record<string, string | boolean | (string | boolean)[] | undefined>>;
}

export interface CommandTerminal {
  print(line: string): void;
  /** Tells how far the work is, on standard error; on a terminal what comes next takes the line's place, unless it ends with a line end. */
  progress(line: string): void;
  /** The next line of standard input; undefined at its end. */
  ask(prompt: string): Promise<string | undefined>;
}
