import { UserError } from '@svc/plugin-sdk';
import { parse, TomlError } from 'smol-toml';

/** Reads TOML. @throws UserError with line, column and, where one can be told, the key; never with a value */
export function parseToml(text: string): Record<string, unknown> {
  try {
    return parse(text, { unsafeKeyBehaviour: 'throw' });
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    const key = keyOn(text.split('\n')[error.line - 1] ?? '');
    const reason = error.message.split('\n')[0]?.replace(/^Invalid TOML document: /, '');
    throw new UserError(
      `${key === undefined ? '' : `${key}: `}${reason} (line ${error.line}, column ${error.column})`,
    );
  }
}

/** Key on a line, which itself is not quoted: it may hold a password. */
function keyOn(line: string): string | undefined {
  return /^\s*(?:([\w.-]+)\s*=|(\[[\w.\- \]]+))/
    .exec(line)
    ?.slice(1)
    .find((part) => part !== undefined);
}
