import { useMachines } from '../../../frame/index.ts';
import { t } from '../../../strings/index.ts';
import { type Limit, rightTexts, scopeTexts } from './model.ts';

interface Props {
  readonly limit: Limit;
  /** Number of its sentences that are shown; the others are counted. */
  readonly most?: number;
  readonly isSuper?: boolean;
}

/** Limit of a token, one sentence an entry. */
export function LimitText({ limit, most = Number.POSITIVE_INFINITY, isSuper = false }: Props) {
  const { nameOf } = useMachines();
  if (isSuper) return <p>{t.tokens.mayAll}</p>;
  const entries = limit.filter(
    ({ scopes, permissions }) => scopes.length > 0 && permissions.length > 0,
  );
  if (entries.length === 0) return <p class="muted">{t.tokens.mayNothing}</p>;
  return (
    <ul class="tokens-sentences">
      {entries.slice(0, most).map(({ scopes, permissions }, at) => (
        <li key={at}>
          {t.tokens.may}
          <Words of={rightTexts(permissions)} />
          {t.tokens.on}
          <Words of={scopeTexts(scopes, nameOf)} />
        </li>
      ))}
      {entries.length > most && <li class="muted">{t.tokens.more(entries.length - most)}</li>}
    </ul>
  );
}

/** Words in bold, with commas between. */
const Words = ({ of }: { readonly of: readonly string[] }) => (
  <strong>{of.join(t.tokens.comma)}</strong>
);
