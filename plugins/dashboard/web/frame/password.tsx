import { signal } from '@preact/signals';
import { createClient, RpcError } from '@svc/client';
import { useEffect, useState } from 'preact/hooks';
import { FormDialog, TextField, toast } from '../parts/index.ts';
import { t } from '../strings/index.ts';
import { wire } from './meta.ts';
import { logInAgain, type Server, useServer } from './server.ts';

export const isPasswordOpen = signal(false);

/** A user name and a password with a colon are no log-in. */
const COLON = ':';

/** Tells whether people log in with this user name and a password. Names of agents' tokens have a colon. */
export const isLogin = (username: string | null): username is string =>
  username !== null && !username.includes(COLON);

/** Tells whether the reader may change their own password. Servers without a method for it let root do so, who changes any. */
export function mayChangePassword({ me: { username, isSuper }, may }: Server): boolean {
  if (!isLogin(username)) return false;
  return may('token_change_own_password') !== false || (isSuper && username === 'root');
}

/** Words of the server on a new password that it refuses, by a setting of its own. Undefined: the failure is another one. */
export const passwordMistake = (error: unknown): string | undefined =>
  error instanceof RpcError ? REFUSED.exec(error.message)?.[1] : undefined;
const REFUSED = /^Invalid input: ((?:New p|P)assword .*)/;

/** Changes the reader's own password. Every session ends with the old one, and this page gets a new one. */
export function OwnPassword() {
  const server = useServer();
  const [current, setCurrent] = useState('');
  const [next, setNext] = useState('');
  useEffect(
    () => () => {
      isPasswordOpen.value = false;
    },
    [],
  );
  const isUnfit = next === '' || next.includes(COLON);
  const change = async () => {
    await logInAgain(async () => {
      await setPassword(server, current, next).catch(inWords);
      return `${server.me.username}|${next}`;
    });
    toast(t.frame.passwordChanged);
  };
  return (
    <FormDialog
      title={t.frame.changePassword}
      action={t.frame.changePassword}
      disabled={isUnfit || current === ''}
      onClose={() => {
        isPasswordOpen.value = false;
      }}
      onSubmit={change}
      atField={passwordMistake}
    >
      {(mistake) => (
        <>
          <p class="muted">{t.frame.passwordText}</p>
          <TextField
            label={t.frame.currentPassword}
            type="password"
            autocomplete="current-password"
            autofocus
            value={current}
            onText={setCurrent}
          />
          <TextField
            label={t.frame.newPassword}
            type="password"
            autocomplete="new-password"
            hint={t.frame.passwordHint}
            error={mistake}
            value={next}
            onText={setNext}
          />
        </>
      )}
    </FormDialog>
  );
}

/** @throws RpcError 102 for a wrong old one */
async function setPassword(
  { call, may, origin }: Server,
  old_password: string,
  new_password: string,
): Promise<void> {
  if (may('token_change_own_password') !== false) {
    await call('token_change_own_password', { old_password, new_password });
    return;
  }
  // A session may not there, the password may.
  const token = `root|${old_password}`;
  const client = createClient(`${origin}${wire('/svc/rpc')}`, { token, reconnect: false });
  try {
    await client.call('token_change_password', { target_token: 'root', new_password });
  } finally {
    client.close();
  }
}

/** A wrong or delayed old password, as the two methods say it. */
const WRONG = [
  'Permission denied: The old password is wrong',
  'Permission denied: Only SuperToken can perform this operation',
];

function inWords(error: unknown): never {
  const isWrong = error instanceof RpcError && WRONG.includes(error.message);
  throw isWrong ? new Error(t.frame.currentWrong) : error;
}
