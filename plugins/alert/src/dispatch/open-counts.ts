import type { Alert, Rule } from '../types.ts';
import type { DispatchParts } from './parts.ts';
import { DispatchStore } from './store.ts';
import { isKept } from './work.ts';

/** Counts the open alerts of a group that each channel was told of before, by the id of the channel. @throws RpcError 103 */
export async function openCounts(
  { db, rules, settings }: Pick<DispatchParts, 'db' | 'rules' | 'settings'>,
  { alert, rule }: { readonly alert: Alert; readonly rule: Rule },
  key: string,
): Promise<ReadonlyMap<number, number>> {
  if (isKept(key)) return byChannel(await new DispatchStore(db).openInGroup(key));
  const policy = settings.policies.of(rule);
  const isIn = (other: Rule) =>
    settings.policies.of(other).id === policy.id &&
    (policy.group_by !== 'rule' || other.id === rule.id) &&
    (policy.group_by !== 'severity' || other.severity === rule.severity);
  const ids = new Set([rule.id, ...rules.list().flatMap((one) => (isIn(one) ? one.id : []))]);
  const subject = policy.group_by === 'subject' || policy.group_by === 'group' ? alert : undefined;
  return byChannel(await new DispatchStore(db).openTold([...ids], subject));
}

function byChannel(
  rows: readonly { readonly told: readonly number[]; readonly n: number }[],
): ReadonlyMap<number, number> {
  const counts = new Map<number, number>();
  for (const { told, n } of rows) for (const id of told) counts.set(id, (counts.get(id) ?? 0) + n);
  return counts;
}
