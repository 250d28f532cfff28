import { t } from '../../../strings/index.ts';
import type { Scope, Source } from '../model.ts';
import { monitorScopeText } from './monitor-scope.tsx';
import { readNamed } from './named.ts';

interface Ruled {
  readonly scope: Scope;
  readonly source: Source;
  readonly condition: string;
}

/** Names that are written out. */
const FEW = 3;

const listed = (names: readonly string[]): string =>
  names.length > FEW
    ? t.alerts.namesAndMore(names.slice(0, FEW).join(t.alerts.comma), names.length - FEW)
    : names.join(t.alerts.comma);

/** Scope of a rule in words: "all machines", "db-…", "tags db, web", "web-1, db-2 and 4 more", "all monitors". */
export function scopeText(
  { scope, source, condition }: Ruled,
  nameOf: (uuid: string) => string,
): string {
  if (source === 'server') return t.alerts.thisServer;
  if (source === 'monitor') return monitorScopeText({ scope, condition }, listed);
  const { prefix } = readNamed(condition);
  const named = prefix === '' ? undefined : t.alerts.namedLike(prefix);
  if (scope.all) return named ?? t.alerts.allMachines;
  const parts = [
    scope.tags && scope.tags.length > 0 && t.alerts.matcher.tags(listed(scope.tags)),
    scope.agents && scope.agents.length > 0 && listed(scope.agents.map(nameOf)),
    scope.monitors &&
      scope.monitors.length > 0 &&
      t.alerts.matcher.monitors(listed(scope.monitors)),
  ].filter((part) => typeof part === 'string');
  if (parts.length === 0) return t.alerts.noMachines;
  return [...parts, ...(named === undefined ? [] : [named])].join(' · ');
}
