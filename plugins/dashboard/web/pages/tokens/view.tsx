import { KeyRound, LockKeyhole, Pencil, Trash2 } from 'lucide';
import { useState } from 'preact/hooks';
import {
  go,
  isLogin,
  Loaded,
  passwordMistake,
  to,
  usePoll,
  useServer,
  useTokenName,
} from '../../frame/index.ts';
import {
  Button,
  Card,
  Confirm,
  CopyButton,
  FormDialog,
  prettyJson,
  TextField,
  toast,
} from '../../parts/index.ts';
import { t } from '../../strings/index.ts';
import { Check } from './check.tsx';
import { type Made, Secret } from './dialogs/secret.tsx';
import { Held } from './held.tsx';
import type { Token } from './limit/model.ts';
import { LimitText, ValidityText } from './limit/text.tsx';

interface Props {
  readonly token: Token;
  readonly onChanged: () => void;
}

/** Front ends know the Super Token by its name. */
export const isSuperToken = ({ username }: Token): boolean => username === 'root';

export function TokenView({ token, onChanged }: Props) {
  const { me } = useServer();
  const { token_key: key } = token;
  const name = useTokenName()(token);
  const isSuper = isSuperToken(token);
  return (
    <>
      <header class="page-head">
        <h1 class="ellipsis">{name}</h1>
        <span class="row muted">
          <code>{key}</code>
          <CopyButton text={key} label={t.tokens.copyKey} />
        </span>
        <span class="grow" />
        {me.isSuper && !isSuper && <Actions token={token} onChanged={onChanged} />}
      </header>
      <Card title={t.tokens.mayTitle}>
        <div class="stack">
          <LimitText limit={token.token_limit} isSuper={isSuper} />
          {isSuper && <p class="hint">{t.tokens.superHint}</p>}
          <div class="row muted small">
            <ValidityText token={token} />
          </div>
          {!isSuper && (
            <details>
              <summary class="muted">JSON</summary>
              <pre class="tokens-json" tabIndex={0}>
                {prettyJson(token.token_limit)}
              </pre>
            </details>
          )}
        </div>
      </Card>
      <Held token={token} />
      {!isSuper && <Check token={token} onChanged={onChanged} />}
    </>
  );
}

function Actions({ token, onChanged }: Props) {
  const { call } = useServer();
  const [open, setOpen] = useState<'secret' | 'password' | 'delete'>();
  const [made, setMade] = useState<Made>();
  const { token_key: key, username } = token;
  const name = useTokenName()(token);
  const close = () => setOpen(undefined);
  return (
    <div class="row wrap">
      <Button icon={Pencil} onClick={() => go(to('tokens', key, { edit: '1' }))}>
        {t.tokens.edit}
      </Button>
      <Button icon={KeyRound} onClick={() => setOpen('secret')}>
        {t.tokens.roll}
      </Button>
      {isLogin(username) && (
        <Button icon={LockKeyhole} onClick={() => setOpen('password')}>
          {t.tokens.changePassword}
        </Button>
      )}
      <Button kind="danger" icon={Trash2} onClick={() => setOpen('delete')}>
        {t.tokens.delete}
      </Button>
      {open === 'secret' && (
        <Confirm
          title={t.tokens.rollTitle(name)}
          action={t.tokens.roll}
          onClose={close}
          onConfirm={async () =>
            setMade(await call('token_roll_token_secret', { target_token: key }))
          }
        >
          <p>{t.tokens.rollText}</p>
        </Confirm>
      )}
      {made && <Secret made={made} onClose={() => setMade(undefined)} />}
      {open === 'password' && <Password token={token} onClose={close} />}
      {open === 'delete' && <Delete token={token} onClose={close} onDone={onChanged} />}
    </div>
  );
}

interface DialogProps {
  readonly token: Token;
  readonly onClose: () => void;
}

function Password({ token, onClose }: DialogProps) {
  const { call } = useServer();
  const [password, setPassword] = useState('');
  const unfit = password.includes(':') ? t.tokens.passwordSign : undefined;
  return (
    <FormDialog
      title={t.tokens.passwordTitle(token.username ?? '')}
      action={t.tokens.changePassword}
      disabled={password === '' || unfit !== undefined}
      onClose={onClose}
      onSubmit={async () => {
        await call('token_change_password', {
          target_token: token.token_key,
          new_password: password,
        });
        toast(t.tokens.passwordChanged);
      }}
      atField={passwordMistake}
    >
      {(mistake) => (
        <>
          <p>{t.tokens.passwordText}</p>
          <TextField
            label={t.tokens.newPassword}
            type="password"
            value={password}
            hint={t.tokens.passwordHint}
            error={unfit ?? mistake}
            autocomplete="new-password"
            autofocus
            onText={setPassword}
          />
        </>
      )}
    </FormDialog>
  );
}

const SHOWN = 5;

/** Says what hangs on the token before it goes. */
function Delete({ token, onClose, onDone }: DialogProps & { readonly onDone: () => void }) {
  const { call } = useServer();
  const { token_key: key } = token;
  const name = useTokenName()(token);
  const found = usePoll(`hangs on ${key}`, () => call('token_dependents', { target_token: key }));
  const kinds = t.tokens.dependents as { readonly [kind: string]: string };
  return (
    <Confirm
      title={t.tokens.deleteTitle(name)}
      action={t.tokens.delete}
      onClose={onClose}
      onConfirm={async () => {
        await call('token_delete', { target_token: key });
        toast(t.tokens.deleted(name));
        onDone();
        go(to('tokens'));
      }}
    >
      <p>{t.tokens.deleteText}</p>
      <Loaded of={found} what={t.tokens.unreadableDependents}>
        {({ dependents }) => {
          const some = dependents.filter(({ names }) => names.length > 0);
          if (some.length === 0) return <p>{t.tokens.nothingHangs}</p>;
          return (
            <>
              <p>{t.tokens.hangs}</p>
              <ul class="tokens-hang">
                {some.map(({ kind, names }) => (
                  <li key={kind}>
                    {t.tokens.hangsLine(
                      kinds[kind] ?? kind,
                      names.slice(0, SHOWN).join(t.tokens.comma),
                      Math.max(0, names.length - SHOWN),
                    )}
                  </li>
                ))}
              </ul>
              <p class="hint">{t.tokens.hangsHint}</p>
            </>
          );
        }}
      </Loaded>
    </Confirm>
  );
}
