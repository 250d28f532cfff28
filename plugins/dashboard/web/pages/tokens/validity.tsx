import { format } from '../../parts/index.ts';
import { t } from '../../strings/index.ts';
import { type Token, validityOf } from './model.ts';

/** "until 1 March 2027", "expired on …"; nothing where there is no bound. */
export function Validity({ token }: { readonly token: Token }) {
  const { timestamp_from: from, timestamp_to: to } = token;
  const state = validityOf(token);
  if (state === 'over' && to !== null)
    return <span class="tag bad">{t.tokens.over(format.day(to))}</span>;
  return (
    <>
      {state === 'early' && from !== null && (
        <span class="tag warn">{t.tokens.begins(format.day(from))}</span>
      )}
      {to !== null && <span title={format.dateTime(to)}>{t.tokens.until(format.day(to))}</span>}
    </>
  );
}
