import { LockOpen } from 'lucide';
import { useState } from 'preact/hooks';
import { Button, Checkbox, Icon, Select, Tabs, TextField } from '../parts/index.ts';
import { t } from '../strings/index.ts';
import { Locked } from './idle.ts';
import { LoginError } from './login-error.tsx';
import { brandTitle, origins } from './meta.ts';
import { logIn, loginError, origin, SessionEnded, switchTo } from './server.ts';

type Way = 'token' | 'password';
const isLoopback = /^(localhost|127\.|\[::1\])/.test(location.hostname);

/** The form that asks for a credential. It travels in the body of a call, never in an address. */
export function Login() {
  const [way, setWay] = useState<Way>('token');
  const [token, setToken] = useState('');
  const [user, setUser] = useState('');
  const [password, setPassword] = useState('');
  const [remember, setRemember] = useState(false);
  const [isBusy, setBusy] = useState(false);
  const error = loginError.value;
  const submit = async () => {
    const credential = way === 'token' ? token.trim() : `${user}|${password}`;
    setBusy(true);
    try {
      await logIn(credential, remember);
    } catch (failure) {
      loginError.value = failure;
      setBusy(false);
    }
  };
  const change = (set: (text: string) => void) => (text: string) => {
    loginError.value = undefined;
    set(text);
  };
  return (
    <main class="login">
      <form
        class="card stack"
        onSubmit={(event) => {
          event.preventDefault();
          void submit();
        }}
      >
        <h1>{t.login.title(brandTitle)}</h1>
        {origins.length > 1 && (
          <Select
            label={t.login.server}
            value={origin.value}
            options={origins.map((value) => ({ value, label: new URL(value).host }))}
            onChange={(value) => void switchTo(value)}
          />
        )}
        <Tabs
          label={t.login.title(brandTitle)}
          tabs={[
            { id: 'token', label: t.login.byToken },
            { id: 'password', label: t.login.byPassword },
          ]}
          current={way}
          onChange={(id) => setWay(id as Way)}
        />
        {way === 'token' ? (
          <TextField
            key="token"
            label={t.login.token}
            hint={t.login.tokenHint}
            type="password"
            name="token"
            autocomplete="current-password"
            required
            autofocus
            value={token}
            onText={change(setToken)}
          />
        ) : (
          <>
            <TextField
              key="user"
              label={t.login.user}
              name="username"
              autocomplete="username"
              required
              autofocus
              value={user}
              onText={change(setUser)}
            />
            <TextField
              key="password"
              label={t.login.password}
              type="password"
              name="password"
              autocomplete="current-password"
              required
              value={password}
              onText={change(setPassword)}
            />
          </>
        )}
        <Checkbox label={t.login.remember} checked={remember} onChange={setRemember} />
        {error instanceof SessionEnded || error instanceof Locked ? (
          <p class="note" role="status">
            {error instanceof Locked ? t.login.locked : t.login.ended}
          </p>
        ) : (
          error !== undefined && (
            <LoginError error={error} user={way === 'password' ? user : undefined} />
          )
        )}
        <Button kind="primary" type="submit" busy={isBusy}>
          {t.login.submit}
        </Button>
        {location.protocol === 'http:' && !isLoopback && (
          <p class="hint row">
            <Icon of={LockOpen} />
            <span>{t.login.plain}</span>
          </p>
        )}
      </form>
    </main>
  );
}
