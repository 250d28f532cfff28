import { LockOpen } from 'lucide';
import { useState } from 'preact/hooks';
import { Button, Checkbox, Icon, Select, Tabs } from '../parts/index.ts';
import { t } from '../strings/index.ts';
import { Locked } from './idle.ts';
import { LoginError } from './login-error.tsx';
import { LoginFields, Misplaced, misplaced, type Typed, type Way } from './login-fields.tsx';
import { brandTitle, origins } from './meta.ts';
import { loginWay } from './preferences.ts';
import { address } from './router.tsx';
import { logIn, loginError, origin, SessionEnded, switchTo } from './server.ts';

/** Longest name that an address may put into the form. */
const MOST_NAME = 64;

/**
 * User that the address names: the first start of a server prints such an address. A token, or what looks like one, is
 * never taken from an address.
 */
function namedUser(): string | null {
  const name = address.value.query.get('user');
  return name !== null && name.length <= MOST_NAME && !name.includes(':') ? name : null;
}

const isLoopback = /^(localhost|127\.|\[::1\])/.test(location.hostname);
const NOTHING: Typed = { token: '', user: '', password: '' };

/** The form that asks for a credential. It travels in the body of a call, never in an address. */
export function Login() {
  const named = namedUser();
  const [way, setWay] = useState<Way>(named === null ? loginWay.value : 'password');
  const [typed, setTyped] = useState({ ...NOTHING, user: named ?? '' });
  const [remember, setRemember] = useState(false);
  const [isBusy, setBusy] = useState(false);
  const { token, user, password } = typed;
  const submit = async (event: Event) => {
    event.preventDefault();
    setBusy(true);
    try {
      await logIn(way === 'token' ? token.trim() : `${user}|${password}`, remember);
      loginWay.value = way;
    } catch (failure) {
      loginError.value = failure;
      setBusy(false);
    }
  };
  const change = (changed: Partial<Typed>) => {
    loginError.value = undefined;
    setTyped({ ...typed, ...changed });
  };
  const other = misplaced(way, typed, loginError.value);
  return (
    <main class="login">
      <form class="card stack" onSubmit={submit}>
        <h1>{t.login.title(brandTitle)}</h1>
        {origins.length > 1 && <Servers />}
        <Tabs
          label={t.login.title(brandTitle)}
          tabs={[
            { id: 'token', label: t.login.byToken },
            { id: 'password', label: t.login.byPassword },
          ]}
          current={way}
          onChange={(id) => setWay(id as Way)}
        />
        <LoginFields way={way} typed={typed} onChange={change} />
        {other && (
          <Misplaced
            to={other.to}
            onMove={() => {
              change({ ...NOTHING, ...other.typed });
              setWay(other.to);
            }}
          />
        )}
        <Checkbox label={t.login.remember} checked={remember} onChange={setRemember} />
        {!other && <Reason user={way === 'password' ? user : undefined} />}
        <Button kind="primary" type="submit" busy={isBusy}>
          {t.login.submit}
        </Button>
        <PlainWarning />
      </form>
    </main>
  );
}

/** Warns where what is typed travels unencrypted. */
function PlainWarning() {
  if (location.protocol !== 'http:' || isLoopback) return null;
  return (
    <p class="hint row">
      <Icon of={LockOpen} />
      <span>{t.login.plain}</span>
    </p>
  );
}

function Servers() {
  return (
    <Select
      label={t.login.server}
      value={origin.value}
      options={origins.map((value) => ({ value, label: new URL(value).host }))}
      onChange={(value) => void switchTo(value)}
    />
  );
}

/** Reason for the form: an end of the session, or a log-in that failed. `user` undefined: a token was typed. */
function Reason({ user }: { readonly user: string | undefined }) {
  const error = loginError.value;
  if (error === undefined) return null;
  if (!(error instanceof SessionEnded || error instanceof Locked))
    return <LoginError error={error} user={user} />;
  return (
    <p class="note" role="status">
      {error instanceof Locked ? t.login.locked : t.login.ended}
    </p>
  );
}
