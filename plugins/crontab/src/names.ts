import { RpcError } from '@svc/plugin-sdk';

const LONGEST = 128;
/** Separators, control characters, and halves of surrogate pairs, which no database can hold. */
const refused = /[/\\\p{Cc}\p{Cs}]/u;

/** Name rule of jobs (crontab.md §5). @throws RpcError 108 */
export function checkName(name: string): string {
  if (name === '') throw RpcError.invalid('the name of a job must not be empty');
  // A code point has two units at most: a longer text need not be counted.
  if (name.length > 2 * LONGEST || [...name].length > LONGEST) {
    throw RpcError.invalid(`the name of a job is at most ${LONGEST} characters long`);
  }
  if (refused.test(name)) {
    throw RpcError.invalid('the name of a job must not hold "/", "\\" or control characters');
  }
  return name;
}
