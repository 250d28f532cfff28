import type { Level } from '@svc/plugin-sdk/kernel';
import { trim } from '@svc/plugin-sdk/util';

/** A record of rank `n` passes a threshold `>= n`; 0 is off. */
export const RANK = { off: 0, error: 1, warn: 2, info: 3, debug: 4, trace: 5 } as const satisfies {
  readonly [word in Level | 'off']: number;
};

/** Levels by target: the longest directive that begins the target wins, else the default. */
export interface Filter {
  /** The rank up to which records of this target pass. */
  threshold(target: string): number;
}

interface Directive {
  /** Empty for a level alone. */
  readonly target: string;
  readonly rank: number;
}

/** Targets of the database driver and of migrations; records show them as `db`. */
const DRIVERS = /^(?:better-sqlite3|knex|migrations?|pg|postgres|sqlite)(?:$|[.:/])/;
const TARGET = /^(?:[A-Za-z_][\w.:/-]*)?$/;

/**
 * The filter of a configured sink (configuration.md §5): a target alone enables all its levels, an empty filter means
 * errors only. Each invalid directive is given to `complain` and skipped.
 */
export function parseFilter(text: string, complain: (directive: string) => void): Filter {
  const directives: Directive[] = [];
  for (const part of directivesOf(text)) {
    const directive = directiveOf(part) ?? targetAlone(part);
    if (directive === undefined || !TARGET.test(directive.target)) complain(part);
    else directives.push(directive);
  }
  return filterOf(directives.length > 0 ? directives : [{ target: '', rank: RANK.error }]);
}

/** The filter of one stream subscriber (svc-server.md §10): the default is off, what cannot be parsed is ignored. */
export function parseStreamFilter(text: string): Filter {
  return filterOf(
    directivesOf(text)
      .map(directiveOf)
      .filter((directive) => directive !== undefined),
  );
}

/** The name that records of this target carry. */
export function shownTarget(target: string): string {
  return DRIVERS.test(target) ? 'db' : target;
}

function filterOf(directives: readonly Directive[]): Filter {
  const fallback = directives.findLast(({ target }) => target === '')?.rank ?? RANK.off;
  // Later directives come first, so that the last of several equal ones wins; the sort is stable.
  const byLength = directives
    .filter(({ target }) => target !== '')
    .reverse()
    .sort((a, b) => b.target.length - a.target.length);
  return {
    threshold(target) {
      const own = byLength.find((directive) => target.startsWith(directive.target));
      if (own !== undefined) return own.rank;
      if (!DRIVERS.test(target)) return fallback;
      return byLength.find((directive) => 'db'.startsWith(directive.target))?.rank ?? fallback;
    },
  };
}

const directivesOf = (text: string): string[] => text.split(',').map(trim).filter(Boolean);

/** A level alone, or `target=level`. */
function directiveOf(text: string): Directive | undefined {
  const at = text.indexOf('=');
  const target = trim(text.slice(0, Math.max(at, 0)));
  const rank = rankOf(trim(text.slice(at + 1)));
  return rank === undefined || (at >= 0 && target === '') ? undefined : { target, rank };
}

function targetAlone(text: string): Directive | undefined {
  return text.includes('=') ? undefined : { target: text, rank: RANK.trace };
}

function rankOf(word: string): number | undefined {
  const lower = word.toLowerCase();
  return Object.hasOwn(RANK, lower) ? RANK[lower as keyof typeof RANK] : undefined;
}
