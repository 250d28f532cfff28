import { RpcError } from '@svc/plugin-sdk';

/** Prefix of names by which front ends identify agents. */
const AGENT = '[agent]:';
const ROOT = 'root';

/** Control characters, characters that change the direction or have no width, line and paragraph separators. */
export const INVISIBLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u;
const MARKS = /[\p{M}\s]/gu;
/** Characters that look like a letter of `root`: zero, Greek and Cyrillic letters. */
const LOOKALIKES: { readonly [letter: string]: string } = {
  '0': 'o',
  ο: 'o',
  о: 'o',
  т: 't',
  τ: 't',
  г: 'r',
};

/** Refuses names that a token may not give to tokens that it creates. @throws RpcError 108 */
export function denyReserved(username: string): void {
  if (INVISIBLE.test(username)) {
    throw RpcError.invalid('username holds a control character or one that cannot be seen');
  }
  const plain = username.normalize('NFKD').replace(MARKS, '').toLowerCase();
  if (plain.startsWith(AGENT)) {
    throw RpcError.invalid(
      `usernames that begin with '${AGENT}' are given by the Super Token only`,
    );
  }
  const read = [...plain].map((letter) => LOOKALIKES[letter] ?? letter).join('');
  if (read === ROOT) {
    throw RpcError.invalid(`username reads like '${ROOT}', which is the Super Token's`);
  }
}
