import type { Machine } from '../../../frame/index.ts';
import type { Scope } from '../model.ts';

/** Machines that a scope names, and whose name begins with `prefix`. */
export const hitsOf = (
  scope: Scope,
  machines: readonly Machine[],
  prefix: string,
): readonly Machine[] =>
  machines.filter(
    ({ uuid, name, tags }) =>
      name.startsWith(prefix) &&
      (scope.all === true ||
        scope.agents?.includes(uuid) === true ||
        tags?.some((tag) => scope.tags?.includes(tag)) === true),
  );
