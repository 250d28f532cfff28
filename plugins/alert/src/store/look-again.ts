import type { Database } from '@svc/plugin-sdk';
import { type QueryBuilder, rowsOf, type SqlValue } from '@svc/plugin-sdk/sql';

/** Has open alerts of these rules looked at that somebody was told of: channels that are new to them hear of them. */
export async function lookAgain(
  trx: QueryBuilder,
  { dialect }: Pick<Database, 'dialect'>,
  rules: { readonly where: string; readonly params: readonly SqlValue[] },
  now: number,
): Promise<void> {
  const lock = dialect === 'postgres' ? 'for update' : '';
  const text = `update alert set next_at = ? where id in (select id from alert where state > 0 and state >= 2
    and told is not null and acked_at is null and (next_at is null or next_at > ?)
    and rule_id in (select id from alert_rule where ${rules.where})
    order by id ${lock}) returning id`;
  await rowsOf(trx, { text, params: [now, now, ...rules.params] });
}
