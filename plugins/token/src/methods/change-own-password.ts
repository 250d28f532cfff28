import {
  type AccessContext,
  type Methods,
  type Principal,
  type Right,
  RpcError,
  Type,
} from '@svc/plugin-sdk';
import type { Components } from '../components.ts';
import { parseCredential } from '../login/credential.ts';
import { checkNewPassword, type PasswordPolicy } from '../passwords/policy.ts';
import { tokenOf } from '../records/token.ts';
import { PasswordChanged } from '../schemas.ts';
import { authenticatedOrDenied } from './access.ts';

const right: Right = { words: 'any valid credential of a token with user name and password' };
const LATE = 'Permission Denied: Token is not valid now';
const WRONG = 'The old password is wrong';

/** `token_change_own_password`, an addition (token.md §13); ends the sessions of the token. */
export function addChangeOwnPassword(methods: Methods, components: Components): void {
  const { store, refresh } = components;
  methods.add('token_change_own_password', {
    summary: 'Change the password that the caller logs in with.',
    description:
      'The old one is looked at like that of a log-in. Every session of the token ends, the one of the call as well: log in again.',
    addition: true,
    params: {
      old_password: Type.String({ description: 'Wrong ones count like wrong log-ins.' }),
      new_password: Type.String({
        description:
          'At least 8 characters, without a `:`, and none of the 10,000 commonest passwords.',
      }),
    },
    result: PasswordChanged,
    audit: () => '',
    right,
    access: { custom: (given, call) => logInAgain(given, call, components.passwordPolicy()) },
    async handle({ new_password }, { caller, log }) {
      const proven = tokenOf(caller)?.password;
      const hash = await components.hashPassword(new_password);
      // An upgrade may be replacing the old password by another form of it.
      const forms = proven?.live ? [proven.stored, proven.replacement ?? proven.stored] : [];
      const id = proven?.token.id ?? 0;
      const changed = forms.length > 0 && (await store.replacePassword(id, forms, hash));
      await refresh.changed({ id });
      if (!changed) throw RpcError.denied('the token was changed at this moment: try again');
      log.info('password changed', { id });
      return { success: true as const, message: 'Password changed successfully' };
    },
  });
}

interface Given {
  readonly old_password: string;
  readonly new_password: string;
}

/** Verifies the old password as a login from the caller's address, with its throttle. @throws RpcError 101, 102, 108 */
async function logInAgain(
  { old_password, new_password }: Given,
  call: AccessContext,
  policy: PasswordPolicy,
) {
  const own = tokenOf(await call.authenticate());
  // In-process calls keep their caller: the old password would not be verified.
  if (call.credential === '') throw RpcError.denied('Only a credential changes its own password');
  if (own && own.validity() !== 'ok') throw RpcError.denied(LATE);
  checkNewPassword(new_password, policy);
  if (typeof own?.username !== 'string' || !own.password) throw withoutPassword();
  const login = `${own.username}|${old_password}`;
  if (parseCredential(login)?.mode !== 'account' || new_password.includes(':')) throw colon();
  const caller: Principal = await authenticatedOrDenied(WRONG, () => call.authenticate(login));
  if (tokenOf(caller) !== own) throw RpcError.denied(WRONG);
}

const withoutPassword = () =>
  RpcError.invalid('this token has no user name and password, so there is none to change');

const colon = () =>
  RpcError.invalid("nobody logs in with a ':' in user name or password: ask for another one");
