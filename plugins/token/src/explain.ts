import {
  type Permission,
  type Principal,
  RawJson,
  type RegisteredMethod,
  type Requirement,
  RpcError,
  type Scope,
  type Static,
  stringifyJson,
} from '@svc/plugin-sdk';
import { Check } from '@svc/plugin-sdk/typebox';
import type { Explanation } from './schemas.ts';
import { type Token, tokenOf } from './token.ts';

/** Pairs that an answer shows; `allowed` counts all of them. */
const SHOWN = 1_000;
/** Pairs that the sentence names. */
const NAMED = 3;

type Needed = Static<typeof Explanation>['requirements'][number];
type Pair = Needed['pairs'][number];
type Verdict = Pick<Static<typeof Explanation>, 'allowed' | 'requirements' | 'reason'>;
type Wanted = Pick<Requirement, 'scopes' | 'permissions'>;

const verdict = (
  allowed: boolean | null,
  reason: string,
  requirements: readonly Needed[] = [],
): Verdict => ({ allowed, requirements: [...requirements], reason });

/**
 * What the rule of a method says to this caller about these parameters. The rule alone is asked, never the handler, so that
 * nothing is told of what exists. Where none are given, a rule that does not look at them answers all the same.
 * @throws RpcError -32602, and what the method itself says to such parameters
 */
export function explain(
  { definition }: RegisteredMethod,
  params: Record<string, unknown> | undefined,
  caller: Principal,
): Verdict {
  const { access, prepare, right } = definition;
  const inputOf = (given: Record<string, unknown>) => {
    const bound = boundAs(definition, given);
    return prepare ? prepare(bound) : bound;
  };
  const input = params && inputOf(params);
  if (access === 'public') return verdict(true, 'Allowed: anyone may call it.');
  if (caller.super) return verdict(true, 'Allowed: the Super Token may call every method.');
  if (access === 'super' || (typeof access === 'object' && 'super' in access))
    return verdict(false, 'Denied: only the Super Token may call it.');
  const token = tokenOf(caller);
  if (!token) throw RpcError.invalid('the caller is no token, so it has no limit to look at');
  if (typeof access === 'object' && 'custom' in access) return ofRight(right, token);
  const late = untimely(token);
  if (access === 'authenticated')
    return late ?? verdict(true, 'Allowed: any valid credential may call it.');
  const asked = input ?? inputOf({});
  const wanted = 'needs' in access ? [access.needs(asked)] : access.anyOf(asked);
  const found = wanted.map((requirement) => needed(requirement, token));
  return late ? { ...late, requirements: found } : judged(found);
}

/** The parameters as the kernel hands them over. @throws RpcError -32602 */
function boundAs(
  { params: schemas }: RegisteredMethod['definition'],
  given: Record<string, unknown>,
): Record<string, unknown> {
  const bound: Record<string, unknown> = {};
  for (const name of Object.keys(given))
    if (!Object.hasOwn(schemas, name)) throw RpcError.params(`params: unknown field \`${name}\``);
  for (const [name, schema] of Object.entries(schemas)) {
    const value = given[name];
    const isOptional = Object.hasOwn(schema, '~optional');
    if (value === undefined && !isOptional)
      throw RpcError.params(`params: missing field \`${name}\``);
    if (value === undefined || (value === null && isOptional && !('x-keep-null' in schema)))
      continue;
    if (!Check(schema, value)) throw RpcError.params(`params: wrong value of \`${name}\``);
    bound[name] = 'x-json-text' in schema ? new RawJson(stringifyJson(value)) : value;
  }
  return bound;
}

/** A rule that may look at more than the parameters: asking it here would tell what is there. */
function ofRight(right: RegisteredMethod['definition']['right'], token: Token): Verdict {
  const late = untimely(token);
  if (late) return late;
  const words = right?.words ?? 'a right that depends on the parameters';
  return verdict(null, `The call itself decides: it asks for ${words}.`);
}

function untimely(token: Token): Verdict | undefined {
  const validity = token.validity();
  if (validity === 'ok') return undefined;
  const when = validity === 'early' ? 'has not begun' : 'is over';
  return verdict(false, `Denied: the validity of the token ${when}.`);
}

/** Which entry gives each pair. */
function needed({ scopes, permissions }: Wanted, token: Token): Needed {
  const pairs: Pair[] = [];
  const missing = new Map<string, Pair>();
  for (const scope of scopes)
    for (const permission of permissions) {
      const entry = entryFor(token, scope, permission);
      const pair = { scope, permission, entry };
      if (pairs.length < SHOWN) pairs.push(pair);
      if (entry === null && missing.size < SHOWN) missing.set(JSON.stringify(pair), pair);
    }
  const absent = [...missing.values()];
  return {
    allowed: absent.length === 0,
    pairs,
    missing: absent.map(({ scope, permission }) => ({
      scopes: [scope],
      permissions: [permission],
    })),
  };
}

function entryFor(token: Token, scope: Scope, permission: Permission): number | null {
  const at = token.entries.findIndex((entry) => entry.covers(scope, permission));
  return at < 0 ? null : at;
}

function judged(found: readonly Needed[]): Verdict {
  const held = found.find(({ allowed }) => allowed);
  if (held) return verdict(true, `Allowed: ${givenBy(held)}.`, found);
  if (found.length === 0) return verdict(false, 'Denied: no right opens such a call.', found);
  const lacks = found.map(lacking).join('; or ');
  return verdict(false, `Denied: the limit of the token lacks ${lacks}.`, found);
}

function givenBy({ pairs }: Needed): string {
  const entries = [...new Set(pairs.map(({ entry }) => entry))].slice(0, NAMED);
  if (entries.length === 0) return 'the call asks for no right';
  return `the limit of the token gives it with ${entries.map((at) => `entry ${at}`).join(', ')}`;
}

function lacking({ missing }: Needed): string {
  const named = missing.slice(0, NAMED).map((entry) => JSON.stringify(entry));
  const others = missing.length - named.length;
  return named.join(' and ') + (others > 0 ? ` and ${others} more` : '');
}
