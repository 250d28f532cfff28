import { createHash } from 'node:crypto';
import { RpcError } from '@svc/plugin-sdk';
import { COMMON } from './common.ts';

/** `[token] password_policy`. `off`: the protocol's own rule (token.md §7). */
export type PasswordPolicy = 'strong' | 'off';

const SHORTEST = 8;
const SHORTEST_BYTES = 6;
const DIGEST_BYTES = 4;
let common: Buffer | undefined;

/** Demands a password that the policy allows; `what` begins the sentence: `New password`. @throws RpcError 108 */
export function checkPassword(text: string, policy: PasswordPolicy, what: string): void {
  if (text === '') throw RpcError.invalid(`${what} cannot be empty`);
  if (policy === 'off') return;
  if ([...text].length < SHORTEST) throw tooShort(what, SHORTEST);
  if (isCommon(text)) {
    throw RpcError.invalid(
      `${what} is one of the 10,000 most common ones, which are tried first: choose another, such as four random words`,
    );
  }
}

/** Demands the same of a change, where the protocol asks for six bytes. @throws RpcError 108 */
export function checkNewPassword(text: string, policy: PasswordPolicy): void {
  const what = 'New password';
  checkPassword(text, policy, what);
  if (Buffer.byteLength(text) < SHORTEST_BYTES) throw tooShort(what, SHORTEST_BYTES);
}

const tooShort = (what: string, least: number) =>
  RpcError.invalid(`${what} must be at least ${least} characters long`);

/** Tells whether a password is one of the commonest, in any case. */
function isCommon(text: string): boolean {
  common ??= Buffer.from(COMMON, 'base64');
  const digest = createHash('sha256').update(text.toLowerCase()).digest().readUInt32BE();
  let [from, to] = [0, common.length / DIGEST_BYTES];
  while (from < to) {
    const middle = (from + to) >> 1;
    const found = common.readUInt32BE(middle * DIGEST_BYTES);
    if (found === digest) return true;
    if (found < digest) from = middle + 1;
    else to = middle;
  }
  return false;
}
