import { RpcError } from '@svc/client';
import { Button, TextField } from '../parts/index.ts';
import { t } from '../strings/index.ts';

export type Way = 'token' | 'password';

/** Texts in the fields of both tabs. */
export interface Typed {
  readonly token: string;
  readonly user: string;
  readonly password: string;
}

interface FieldsProps {
  readonly way: Way;
  readonly typed: Typed;
  readonly onChange: (changed: Partial<Typed>) => void;
}

export function LoginFields({ way, typed, onChange }: FieldsProps) {
  if (way === 'token')
    return (
      <TextField
        key="token"
        label={t.login.token}
        hint={t.login.tokenHint}
        type="password"
        name="token"
        autocomplete="current-password"
        required
        autofocus
        value={typed.token}
        onText={(token) => onChange({ token })}
      />
    );
  return (
    <>
      <TextField
        key="user"
        label={t.login.user}
        name="username"
        autocomplete="username"
        required
        autofocus={typed.user === ''}
        value={typed.user}
        onText={(user) => onChange({ user })}
      />
      <TextField
        key="password"
        label={t.login.password}
        type="password"
        name="password"
        autocomplete="current-password"
        required
        autofocus={typed.user !== ''}
        value={typed.password}
        onText={(password) => onChange({ password })}
      />
    </>
  );
}

/** KEY:SECRET. A user name or password with a colon is no log-in (auth.md §1). */
const TOKEN = /^[^\s:]+:\S+$/;
const MALFORMED = 101;

/** Returns what was typed on the wrong tab, and where it belongs; undefined: nothing, as far as can be seen. */
export function misplaced(
  way: Way,
  { token, user, password }: Typed,
  error: unknown,
): { readonly to: Way; readonly typed: Partial<Typed> } | undefined {
  if (way === 'token')
    return error instanceof RpcError && error.code === MALFORMED
      ? { to: 'password', typed: { user, password: token.trim() } }
      : undefined;
  const found = [password, user].map((text) => text.trim()).find((text) => TOKEN.test(text));
  return found === undefined ? undefined : { to: 'token', typed: { token: found } };
}

interface MisplacedProps {
  readonly to: Way;
  readonly onMove: () => void;
}

export function Misplaced({ to, onMove }: MisplacedProps) {
  const { looksLike, move } = t.login.misplaced[to];
  return (
    <div class="note warn" role="status">
      <span class="grow">{looksLike}</span>
      <Button onClick={onMove}>{move}</Button>
    </div>
  );
}
