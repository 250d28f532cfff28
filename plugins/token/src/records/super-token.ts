import { hashOf, newKey, newSecret } from '../login/credential.ts';
import type { NewToken } from './store.ts';

/** Super Token to be stored, with its clear values. */
export interface NewSuperToken {
  readonly record: NewToken;
  /** `key:secret` */
  readonly token: string;
  readonly password: string;
}

/** Makes a new key, secret and password (auth.md §4). `hashPassword` gives the stored form. */
export async function newSuperToken(
  salt: string,
  hashPassword: (password: string) => Promise<string>,
): Promise<NewSuperToken> {
  const key = newKey();
  const secret = newSecret();
  const password = newSecret();
  const record: NewToken = {
    token_key: key,
    token_hash: hashOf(salt, secret),
    time_stamp_from: null,
    time_stamp_to: null,
    token_limit: '[]',
    username: 'root',
    password_hash: await hashPassword(password),
    parent: null,
  };
  return { record, token: `${key}:${secret}`, password };
}

/** Lines that install scripts look for: the value ends the line, without colour or quotes (clients.md §4.1). */
export const superLines = ({ token, password }: NewSuperToken): readonly string[] => [
  `Super Token: ${token}`,
  `Root Password: ${password}`,
];

/** Command that replaces both values. */
export const ROLL_COMMAND = 'svc-server roll-super-token';

/** Log text of the first start, without the words that scripts look for. */
export const FIRST_START =
  'first start: the credential of root for programs and the password of the user root were made; ' +
  'they are printed once, when the start is over';
