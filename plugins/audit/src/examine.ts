import { type Finding, finding } from '@svc/plugin-sdk';
import { goneText } from './outside.ts';
import type { Trail } from './trail.ts';

/** Findings of `doctor` about the end of the audit; the rows themselves are for `audit-verify`. */
export async function examine(trail: Trail): Promise<Finding[]> {
  const own = await trail.ownOfFile();
  if (!own) return [];
  const stored = await trail.store.chain(own.chain);
  const problems = (own.breaks ?? []).map(({ from, to }) => `${goneText(from, to)}.`);
  if (own.fault !== undefined) problems.push(`${own.fault}.`);
  const { end } = own;
  if (end && (stored?.seq ?? 0) < end.seq)
    problems.push(
      `${goneText((stored?.seq ?? 0) + 1, end.seq)}: the file beside audit.key names them.`,
    );
  const advice =
    'Look with audit-verify; after a restore or a power cut, where you know why, say audit-accept.';
  if (problems.length > 0)
    return problems.map((problem) =>
      finding('database', 'problem', `The audit: ${problem}`, advice),
    );
  const message = end
    ? 'The audit ends where the file beside its key says.'
    : 'The end of the audit stands in the database alone.';
  return [finding('database', 'ok', message)];
}
