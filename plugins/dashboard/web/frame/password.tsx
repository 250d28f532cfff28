import { signal } from '@preact/signals';
import { createClient } from '@svc/client';
import { useState } from 'preact/hooks';
import { FormDialog, TextField, toast } from '../parts/index.ts';
import { t } from '../strings/index.ts';
import { wire } from './meta.ts';
import { logInAgain, useServer } from './server.ts';

export const isPasswordOpen = signal(false);
const LEAST_BYTES = 6;

/** Changes the password of root. A session may not, so the old one is asked for; every session ends, and this page gets a new one. */
export function OwnPassword() {
  const { origin } = useServer();
  const [current, setCurrent] = useState('');
  const [next, setNext] = useState('');
  const isShort = new TextEncoder().encode(next).length < LEAST_BYTES;
  const change = async () => {
    const token = `root|${current}`;
    const client = createClient(`${origin}${wire('/svc/rpc')}`, { token, reconnect: false });
    try {
      await client.call('token_change_password', { target_token: 'root', new_password: next });
    } finally {
      client.close();
    }
    await logInAgain(`root|${next}`);
    toast(t.frame.passwordChanged);
  };
  return (
    <FormDialog
      title={t.frame.changePassword}
      action={t.frame.changePassword}
      disabled={isShort || current === ''}
      onClose={() => {
        isPasswordOpen.value = false;
      }}
      onSubmit={change}
    >
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
        value={next}
        onText={setNext}
      />
    </FormDialog>
  );
}
