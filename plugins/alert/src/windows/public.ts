import type { Maintained, MaintenanceWindows } from '../api.ts';
import type { KnownMonitors } from '../monitors.ts';
import { matches } from '../silences/matcher.ts';
import type { Machines, Matcher } from '../types.ts';
import type { Windows } from './windows.ts';

/** Time ahead of it at which a status page shows a window. */
const UPCOMING_MS = 14 * 86_400_000;

export interface PublicParts {
  readonly machines: Pick<Machines, 'tagsOf'>;
  readonly monitors: Pick<KnownMonitors, 'named'>;
}

/** Public windows, for status pages. */
export function publicWindows(
  windows: Pick<Windows, 'public'>,
  parts: PublicParts,
): MaintenanceWindows {
  const shown = (slug: string, now: number, until: number) =>
    windows.public(slug, now, until).map(({ window: { name, scope }, range: [from, to] }) => ({
      ...{ name, from, to, isAbout: aboutOf(scope, parts) },
    }));
  return {
    active: (slug, now) => shown(slug, now, now + 1),
    upcoming: (slug, now) => shown(slug, now, now + UPCOMING_MS).filter(({ from }) => from > now),
  };
}

/** Rules and severity of a scope say which alerts are not sent, and not what is worked on. */
function aboutOf(
  { rules: _rules, severity: _severity, ...scope }: Matcher,
  { machines, monitors }: PublicParts,
) {
  return ({ kind, id }: Maintained): boolean => {
    const tags = kind === 'agent' ? machines.tagsOf(id) : (monitors.named(id)?.tags ?? []);
    return matches(scope, { rule: '', severity: 'info', kind, subjects: [id], tags });
  };
}
