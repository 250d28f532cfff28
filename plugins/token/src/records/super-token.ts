import { hashOf, newKey, newSecret } from '../login/credential.ts';
import type { NewToken } from './store.ts';

/** A Super Token that is to be stored, and its clear values. */
export interface MadeSuper {
  readonly record: NewToken;
  /** `key:secret` */
  readonly token: string;
  readonly password: string;
}

/** New key, secret and password (auth.md §4). `hashPassword` gives the stored form. */
export async function makeSuper(
  salt: string,
  hashPassword: (password: string) => Promise<string>,
): Promise<MadeSuper> {
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

/** What install scripts look for: the value ends the line, without colour or quotes (clients.md §4.1). */
export const superLines = ({ token, password }: MadeSuper): readonly string[] => [
  `Super Token: ${token}`,
  `Root Password: ${password}`,
];

/** The command that replaces both values. */
export const ROLL = 'svc-server roll-super-token';

/** Logged when they are made, without the words that scripts look for. */
export const FIRST_START =
  'first start: the credential of root for programs and the password of the user root were made; ' +
  'they are printed once, when the start is over';
