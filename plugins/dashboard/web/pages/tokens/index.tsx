import { KeyRound, Plus } from 'lucide';
import {
  address,
  Link,
  Loaded,
  navigate,
  to,
  useCrumbs,
  useServer,
  useTokenName,
} from '../../frame/index.ts';
import { Button, Empty } from '../../parts/index.ts';
import { t } from '../../strings/index.ts';
import { EditLimit } from './edit.tsx';
import { HeldByAll } from './held.tsx';
import { heldOf } from './limit/model.ts';
import { LimitText } from './limit/text.tsx';
import { isSuperToken, type Token, useTokens } from './model.ts';
import { NewToken } from './new.tsx';
import { Validity } from './validity.tsx';
import { TokenView } from './view.tsx';
import './tokens.css';

const SENTENCES = 3;

/**
 * `/tokens` lists them, `/tokens?new=1` makes one, `/tokens/<key>` has one, `?edit=1` its limit. A token that may not list
 * others sees itself.
 */
export default function Tokens() {
  const { me } = useServer();
  const tokenName = useTokenName();
  const tokens = useTokens();
  const { rest, query } = address.value;
  const [asked] = rest;
  const key = asked ?? (me.isSuper ? undefined : me.token_key);
  const chosen = tokens.data?.find((one) => one.token_key === key);
  const isNew = query.has('new');
  useCrumbs(
    ...(isNew
      ? [{ label: t.tokens.new }]
      : asked === undefined
        ? []
        : [{ label: chosen ? tokenName(chosen) : asked, to: to('tokens', asked) }]),
  );
  if (isNew) return <NewToken onMade={tokens.refresh} />;
  if (chosen && me.isSuper && query.has('edit') && !isSuperToken(chosen))
    return <EditLimit key={key} token={chosen} onSaved={tokens.refresh} />;
  return (
    <div class="page">
      <Loaded of={tokens} what={t.tokens.unreadable}>
        {(list) => (
          <div class="stack">
            {key === undefined ? (
              <List list={list} />
            ) : chosen ? (
              <>
                {!me.isSuper && <Own token={chosen} />}
                <TokenView key={key} token={chosen} onChanged={tokens.refresh} />
              </>
            ) : (
              <Empty icon={KeyRound} title={t.tokens.unknown}>
                <Button onClick={() => navigate(to('tokens'))}>{t.tokens.toList}</Button>
              </Empty>
            )}
          </div>
        )}
      </Loaded>
    </div>
  );
}

const New = () => (
  <Button kind="primary" icon={Plus} onClick={() => navigate(to('tokens', { new: '1' }))}>
    {t.tokens.new}
  </Button>
);

/** Page of a token without the right to list, and perhaps with the one to create. */
function Own({ token }: { readonly token: Token }) {
  const mayCreate = token.token_limit.some(({ permissions }) =>
    heldOf(permissions, { kind: 'token', verb: 'create' }),
  );
  return (
    <div class="page-head">
      <p class="muted grow">{t.tokens.onlyOwn}</p>
      {mayCreate && <New />}
    </div>
  );
}

function List({ list }: { readonly list: readonly Token[] }) {
  const { me } = useServer();
  const tokenName = useTokenName();
  return (
    <>
      <header class="page-head">
        <h1 class="grow">{t.tokens.count(list.length)}</h1>
        <New />
      </header>
      <HeldByAll list={list} />
      <ul class="tokens-list">
        {list.map((token) => (
          <li key={token.token_key} class="card tokens-row">
            <div class="tokens-who">
              <Link to={to('tokens', token.token_key)} class="tokens-name ellipsis">
                {tokenName(token)}
              </Link>
              <div class="row wrap muted small">
                {tokenName(token) !== token.token_key && <code>{token.token_key}</code>}
                {token.token_key === me.token_key && <span class="tag">{t.tokens.you}</span>}
                <Validity token={token} />
              </div>
            </div>
            <LimitText limit={token.token_limit} isSuper={isSuperToken(token)} most={SENTENCES} />
          </li>
        ))}
      </ul>
      {list.length === 1 && (
        <Empty icon={KeyRound} title={t.tokens.none}>
          {t.tokens.noneHint}
        </Empty>
      )}
    </>
  );
}
