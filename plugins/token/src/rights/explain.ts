import {
  type Permission,
  type Principal,
  type Requirement,
  RpcError,
  type Scope,
  type Static,
} from '@svc/plugin-sdk';
import type { RegisteredMethod } from '@svc/plugin-sdk/kernel';
import { type Token, tokenOf } from '../records/token.ts';
import type { Explanation } from '../schemas.ts';
import type { Entry } from './entry.ts';
import { groupByEntries, type PermissionGroup } from './granting-entries.ts';

/** Pairs that an answer shows; `allowed` counts all of them. */
const MAX_SHOWN = 1_000;
/** Pairs that the sentence names. */
const MAX_NAMED = 3;

type Needed = Static<typeof Explanation>['requirements'][number];
type Verdict = Pick<Static<typeof Explanation>, 'allowed' | 'requirements' | 'reason'>;
type Wanted = Pick<Requirement, 'scopes' | 'permissions'>;

const verdict = (
  allowed: boolean | null,
  reason: string,
  requirements: readonly Needed[] = [],
): Verdict => ({ allowed, requirements: [...requirements], reason });

/**
 * Explains the access rule of a method for this caller and these parameters. It evaluates the rule alone, never the handler, so
 * that it reveals nothing of what exists. Without parameters, a rule that does not read them is evaluated all the same.
 * @throws RpcError -32602, and what the method itself says to such parameters
 */
export function explain(
  method: RegisteredMethod,
  params: Record<string, unknown> | undefined,
  caller: Principal,
): Verdict {
  const { access, prepare, right } = method.definition;
  const inputOf = (given: Record<string, unknown>) => {
    const bound = bindParams(method, given);
    return prepare ? prepare(bound) : bound;
  };
  const input = params && inputOf(params);
  if (access === 'public') return verdict(true, 'Allowed: anyone may call it.');
  if (caller.super) return verdict(true, 'Allowed: the Super Token may call every method.');
  if (access === 'super' || (typeof access === 'object' && 'super' in access))
    return verdict(false, 'Denied: only the Super Token may call it.');
  const token = tokenOf(caller);
  if (!token) throw RpcError.invalid('the caller is no token, so it has no limit to look at');
  if (typeof access === 'object' && 'custom' in access) return explainCustom(right, token);
  const late = outsideValidity(token);
  if (access === 'authenticated')
    return late ?? verdict(true, 'Allowed: any valid credential may call it.');
  const asked = input ?? inputOf({});
  const wanted = 'needs' in access ? [access.needs(asked)] : access.anyOf(asked);
  const found = wanted.map((requirement) => matchRequirement(requirement, token));
  return late ? { ...late, requirements: found } : verdictOf(found);
}

/** Parameters as the handler of the method gets them. @throws RpcError -32602 */
function bindParams(
  method: RegisteredMethod,
  given: Record<string, unknown>,
): Record<string, unknown> {
  const { params } = method.definition;
  const unknown = Object.keys(given).find((name) => !Object.hasOwn(params, name));
  if (unknown !== undefined)
    throw RpcError.params(`params: unknown field \`${unknown.slice(0, 64)}\``);
  return method.bind(given);
}

/** Verdict on a custom rule, which may read more than the parameters: evaluating it would reveal what exists. */
function explainCustom(right: RegisteredMethod['definition']['right'], token: Token): Verdict {
  const late = outsideValidity(token);
  if (late) return late;
  const words = right?.words ?? 'a right that depends on the parameters';
  return verdict(null, `The call itself decides: it asks for ${words}.`);
}

function outsideValidity(token: Token): Verdict | undefined {
  const validity = token.validity();
  if (validity === 'ok') return undefined;
  const when = validity === 'early' ? 'has not begun' : 'is over';
  return verdict(false, `Denied: the validity of the token ${when}.`);
}

/** Finds the entry that grants each pair, and the pairs that none does. */
function matchRequirement({ scopes, permissions }: Wanted, token: Token): Needed {
  const held = groupByEntries(token.entries, permissions, (entry, wanted) =>
    entry.coversPermission(wanted),
  );
  const givers = new Map(
    held.flatMap(({ entries, permissions: given }) => given.map((each) => [each, entries])),
  );
  const pairs = firstPairs(scopes, permissions).map(([scope, permission]) => ({
    scope,
    permission,
    entry: entryFor(token, scope, givers.get(permission) ?? []),
  }));
  const missing = new Map<string, Needed['missing'][number]>();
  for (const scope of scopes) {
    if (missing.size >= MAX_SHOWN) break;
    const lacks = ({ entries }: PermissionGroup) =>
      !entries.some((entry) => entry.coversScope(scope));
    const lacking = new Set(held.filter(lacks).flatMap((holders) => holders.permissions));
    const absent = lacking.size === 0 ? [] : permissions.filter((each) => lacking.has(each));
    for (const permission of absent.slice(0, MAX_SHOWN - missing.size))
      missing.set(JSON.stringify([scope, permission]), {
        scopes: [scope],
        permissions: [permission],
      });
  }
  return { allowed: missing.size === 0, pairs, missing: [...missing.values()] };
}

function firstPairs(scopes: readonly Scope[], permissions: readonly Permission[]) {
  const first = permissions.slice(0, MAX_SHOWN);
  const most = Math.ceil(MAX_SHOWN / Math.max(first.length, 1));
  return scopes
    .slice(0, most)
    .flatMap((scope) => first.map((permission) => [scope, permission] as const))
    .slice(0, MAX_SHOWN);
}

/** Index of the first of these entries that has the scope. */
function entryFor(token: Token, scope: Scope, entries: readonly Entry[]): number | null {
  const found = entries.find((entry) => entry.coversScope(scope));
  return found ? token.entries.indexOf(found) : null;
}

function verdictOf(found: readonly Needed[]): Verdict {
  const held = found.find(({ allowed }) => allowed);
  if (held) return verdict(true, `Allowed: ${givenBy(held)}.`, found);
  if (found.length === 0) return verdict(false, 'Denied: no right opens such a call.', found);
  const lacks = found.map(lacking).join('; or ');
  return verdict(false, `Denied: the limit of the token lacks ${lacks}.`, found);
}

function givenBy({ pairs }: Needed): string {
  const entries = [...new Set(pairs.map(({ entry }) => entry))].slice(0, MAX_NAMED);
  if (entries.length === 0) return 'the call asks for no right';
  return `the limit of the token gives it with ${entries.map((at) => `entry ${at}`).join(', ')}`;
}

function lacking({ missing }: Needed): string {
  const named = missing.slice(0, MAX_NAMED).map((entry) => JSON.stringify(entry));
  const others = missing.length - named.length;
  return named.join(' and ') + (others > 0 ? ` and ${others} more` : '');
}
