import { useState } from 'preact/hooks';
import { Link, Loaded, to, useServer, useTokenName } from '../../frame/index.ts';
import { Bar, Card, format } from '../../parts/index.ts';
import { t } from '../../strings/index.ts';
import { type Holding, type Owner, type Token, useOwners } from './model.ts';

/** Part of a limit from which on the list says it in words. */
const NEAR_LIMIT = 0.8;

/** Holdings of a token's owner: of each kind how many, how much, and how near to the limit. */
export function Held({ token }: { readonly token: Token }) {
  const owners = useOwners(token.token_key, token.token_key);
  return (
    <Card title={t.tokens.held.title}>
      <Loaded of={owners} what={t.tokens.held.unreadable}>
        {([owner]) => owner && <OfOwner owner={owner} token={token} />}
      </Loaded>
    </Card>
  );
}

function OfOwner({ owner, token }: { readonly owner: Owner; readonly token: Token }) {
  const { me, may } = useServer();
  const mayRaise = may('svc-server_edit_config') !== false;
  const isOther = owner.token_key !== null && owner.token_key !== token.token_key;
  const kinds = owner.kinds.filter(({ rows }) => rows > 0);
  return (
    <div class="stack">
      <p class="hint">
        {owner.token_key === null
          ? t.tokens.held.superHint
          : isOther
            ? t.tokens.held.counted
            : mayRaise
              ? t.tokens.held.hint
              : t.tokens.held.hintAsk}{' '}
        {isOther &&
          (me.isSuper ? (
            <Link to={to('tokens', owner.token_key as string)}>{nameOf(owner)}</Link>
          ) : (
            <code>{nameOf(owner)}</code>
          ))}
      </p>
      {kinds.length === 0 && <p class="muted">{t.tokens.held.nothing}</p>}
      <table class="tokens-held tokens-held-one">
        <tbody>
          {kinds.map((kind) => (
            <tr key={kind.kind}>
              <th scope="row">{kindOf(kind)}</th>
              <td class="num">{ofMost(format.number(kind.rows), kind.max_rows, format.number)}</td>
              <td class="num">{sizeOf(kind)}</td>
              <td>
                <Part kind={kind} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** Tokens that hold most, for the Super Token; read when it is opened. */
export function HeldByAll({ list }: { readonly list: readonly Token[] }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details
      class="card tokens-all-held"
      onToggle={({ currentTarget }) => setOpen(currentTarget.open)}
    >
      <summary>{t.tokens.held.allTitle}</summary>
      {isOpen && <Owners list={list} />}
    </details>
  );
}

function Owners({ list }: { readonly list: readonly Token[] }) {
  const owners = useOwners('all');
  return (
    <Loaded of={owners} what={t.tokens.held.unreadable}>
      {(all) => (
        <div class="stack">
          <p class="hint">{t.tokens.held.allHint}</p>
          <table class="tokens-held tokens-held-all">
            <tbody>
              {all.map((owner) => (
                <tr key={owner.token_key ?? ''}>
                  <th scope="row" class="ellipsis">
                    <Who owner={owner} list={list} />
                  </th>
                  <td>
                    {owner.kinds
                      .filter(({ rows }) => rows > 0)
                      .map(inWords)
                      .join(' · ')}
                  </td>
                  <td>
                    <Part kind={owner.kinds.toSorted((a, b) => partOf(b) - partOf(a))[0]} isSaid />
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </Loaded>
  );
}

function Who({ owner, list }: { readonly owner: Owner; readonly list: readonly Token[] }) {
  const tokenName = useTokenName();
  if (owner.token_key === null) return <>{t.tokens.held.superToken}</>;
  const token = list.find(({ token_key }) => token_key === owner.token_key);
  if (!token) return <code title={t.tokens.held.gone}>{owner.token_key}</code>;
  return <Link to={to('tokens', owner.token_key)}>{tokenName(token)}</Link>;
}

/** A bar of how much of the nearest limit is used; nothing where there is none. */
function Part({ kind, isSaid }: { readonly kind: Holding | undefined; readonly isSaid?: boolean }) {
  if (!kind || (kind.max_rows === null && kind.max_bytes === null)) return null;
  const part = partOf(kind);
  const label = t.tokens.held.part(kindOf(kind), format.text(format.percent(part * 100)));
  return (
    <span title={label}>
      <Bar value={part} label={label} />
      {isSaid && part >= NEAR_LIMIT && <span class="small">{label}</span>}
    </span>
  );
}

/** 0 to 1 or beyond: the part of the nearer limit that is used. */
const partOf = ({ rows, bytes, max_rows, max_bytes }: Holding): number =>
  Math.max(max_rows === null ? 0 : rows / (max_rows || 1), max_bytes ? bytes / max_bytes : 0);

const size = (bytes: number): string => format.text(format.bytes(bytes));

/** Size of a holding; empty where bytes are not counted. */
const sizeOf = ({ bytes, max_bytes }: Holding): string =>
  bytes === 0 && max_bytes === null ? '' : ofMost(size(bytes), max_bytes, size);

const ofMost = (held: string, most: number | null, write: (value: number) => string): string =>
  most === null ? held : t.tokens.held.ofMost(held, write(most));

const kindOf = ({ kind }: Holding): string =>
  (t.tokens.held.kinds as { readonly [kind: string]: string })[kind] ?? kind;

const inWords = (kind: Holding): string =>
  `${kindOf(kind)} ${format.number(kind.rows)}${kind.bytes > 0 ? ` (${size(kind.bytes)})` : ''}`;

const nameOf = ({ username, token_key }: Owner): string => username ?? token_key ?? '';
