import { KeyRound, LockKeyhole, Pencil, Trash2 } from 'lucide';
import { useState } from 'preact/hooks';
import { isLogin, navigate, to, useServer, useTokenName } from '../../frame/index.ts';
import { Button, Card, Confirm, CopyButton, prettyJson } from '../../parts/index.ts';
import { t } from '../../strings/index.ts';
import { Check } from './check.tsx';
import { DeleteToken } from './dialogs/delete.tsx';
import { ChangePassword } from './dialogs/password.tsx';
import { Secret } from './dialogs/secret.tsx';
import { Held } from './held.tsx';
import { LimitText } from './limit/text.tsx';
import { isSuperToken, type Made, type Token, useTokenActions } from './model.ts';
import { Validity } from './validity.tsx';

interface Props {
  readonly token: Token;
  readonly onChanged: () => void;
}

/** One token: what it may, what it holds, and whether it may call a method. */
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
            <Validity token={token} />
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
  const { roll } = useTokenActions(token);
  const [open, setOpen] = useState<'secret' | 'password' | 'delete'>();
  const [made, setMade] = useState<Made>();
  const { token_key: key, username } = token;
  const name = useTokenName()(token);
  const close = () => setOpen(undefined);
  return (
    <div class="row wrap">
      <Button icon={Pencil} onClick={() => navigate(to('tokens', key, { edit: '1' }))}>
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
          onConfirm={async () => setMade(await roll())}
        >
          <p>{t.tokens.rollText}</p>
        </Confirm>
      )}
      {made && <Secret made={made} onClose={() => setMade(undefined)} />}
      {open === 'password' && <ChangePassword token={token} onClose={close} />}
      {open === 'delete' && <DeleteToken token={token} onClose={close} onDone={onChanged} />}
    </div>
  );
}
