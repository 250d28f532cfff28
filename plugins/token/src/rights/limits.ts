import { canonicalUuid, type Permission, RpcError, type Scope, Uuid } from '@svc/plugin-sdk';
import type { Limit } from '../api.ts';
import type { Kind, Vocabulary } from './vocabulary.ts';

const uuidPattern = new RegExp((Uuid as unknown as { pattern: string }).pattern);

/** Strict reading of `token_limit` (auth.md §5.3). @throws RpcError -32602, 108 for a text with U+0000 */
export function parseLimits(value: unknown, vocabulary: Vocabulary): Limit[] {
  if (!Array.isArray(value)) throw wrongType(value, 'a sequence');
  const limits = value.map((entry) => parseEntry(entry, vocabulary));
  for (const { scopes, permissions } of limits)
    if (scopes.some(holdsZero) || permissions.some(holdsZero)) throw RpcError.zero();
  return limits;
}

/** Tells whether a name or pattern at any depth holds U+0000. */
const holdsZero = (part: unknown): boolean =>
  typeof part === 'string'
    ? part.includes('\0')
    : Object.values(part as { readonly [tag: string]: unknown }).some(holdsZero);

/**
 * Lenient reading of a stored `token_limit`: permissions unknown here are left out; anything else unknown empties the list.
 * `report` is called for both.
 */
export function loadLimits(
  stored: string,
  vocabulary: Vocabulary,
  report: (problem: string) => void,
): Limit[] {
  try {
    const value: unknown = JSON.parse(stored);
    if (!Array.isArray(value)) throw wrongType(value, 'a sequence');
    return value.map((entry) => loadEntry(entry, vocabulary, report));
  } catch (error) {
    report(`all limits are ignored: ${problemOf(error)}`);
    return [];
  }
}

function loadEntry(entry: unknown, vocabulary: Vocabulary, report: (problem: string) => void) {
  try {
    return parseEntry(entry, vocabulary);
  } catch (error) {
    const { permissions } = (entry ?? {}) as { permissions?: unknown };
    if (!Array.isArray(permissions)) throw error;
    const known = permissions.filter((permission) => isPermission(permission, vocabulary));
    const kept = parseEntry({ ...(entry as object), permissions: known }, vocabulary);
    report(`a permission is ignored: ${problemOf(error)}`);
    return kept;
  }
}

function isPermission(value: unknown, vocabulary: Vocabulary): boolean {
  try {
    parsePermission(value, vocabulary);
    return true;
  } catch (error) {
    if (error instanceof RpcError) return false;
    throw error;
  }
}

function parseEntry(entry: unknown, vocabulary: Vocabulary): Limit {
  if (!isObject(entry)) throw wrongType(entry, 'struct Limit');
  const { scopes, permissions } = entry as Partial<Record<keyof Limit, unknown>>;
  if (scopes === undefined) throw RpcError.params('missing field `scopes`');
  if (!Array.isArray(scopes)) throw wrongType(scopes, 'a sequence');
  if (permissions === undefined) throw RpcError.params('missing field `permissions`');
  if (!Array.isArray(permissions)) throw wrongType(permissions, 'a sequence');
  return {
    scopes: scopes.map((scope) => parseScope(scope, vocabulary)),
    permissions: permissions.map((permission) => parsePermission(permission, vocabulary)),
  };
}

function parseScope(value: unknown, { scopes }: Vocabulary): Scope {
  const [tag, content] = variant(value);
  if (tag === 'global') {
    if (content !== undefined && content !== null) throw wrongType(content, 'unit variant');
    return 'global';
  }
  const match = scopes.get(tag);
  if (!match) throw unknownVariant(tag, ['global', ...scopes.keys()]);
  if (typeof content !== 'string') throw wrongType(content, 'a string');
  if (match !== 'uuid') return { [tag]: content };
  if (!uuidPattern.test(content)) throw RpcError.params('UUID parsing failed: not a UUID');
  return { [tag]: canonicalUuid(content) };
}

function parsePermission(value: unknown, { kinds }: Vocabulary): Permission {
  const [tag, content] = variant(value);
  const kind = kinds.get(tag);
  if (!kind) throw unknownVariant(tag, [...kinds.keys()]);
  if (content === undefined) throw wrongType(content, 'newtype variant');
  return { [tag]: parseWords(content, kind) };
}

/** `"word"`, `{"word":null}`, `{"verb":"choice"}`, `{"verb":{"choice":null}}` or `{"verb":"pattern"}`. */
function parseWords(value: unknown, kind: Kind): string | { [verb: string]: string } {
  const [word, content] = variant(value);
  if (kind.words.has(word) && (content === undefined || content === null)) return word;
  const choices = kind.choices.get(word);
  if (choices) {
    const [choice, rest] = variant(content);
    if (!choices.has(choice)) throw unknownVariant(choice, [...choices]);
    if (rest !== undefined && rest !== null) throw wrongType(rest, 'unit variant');
    return { [word]: choice };
  }
  if (kind.patterns.has(word)) {
    if (typeof content !== 'string') throw wrongType(content, 'a string');
    return { [word]: content };
  }
  if (kind.words.has(word)) throw wrongType(content, 'unit variant');
  throw unknownVariant(word, [...kind.words, ...kind.choices.keys(), ...kind.patterns]);
}

/** External tagging (conventions.md §8): a bare tag, whose content is undefined, or an object of one member. */
function variant(value: unknown): readonly [tag: string, content: unknown] {
  if (typeof value === 'string') return [value, undefined];
  if (!isObject(value)) throw wrongType(value, 'string or map');
  const members = Object.entries(value);
  const [first] = members;
  if (!first || members.length > 1) {
    throw RpcError.params('invalid value: map, expected map with a single key');
  }
  return first;
}

const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const wrongType = (value: unknown, expected: string) =>
  RpcError.params(`invalid type: ${describe(value)}, expected ${expected}`);

const unknownVariant = (tag: string, known: readonly string[]) =>
  RpcError.params(
    `unknown variant \`${tag.slice(0, 64)}\`, expected one of ${known.map((name) => `\`${name}\``).join(', ')}`,
  );

function describe(value: unknown): string {
  if (value === undefined) return 'unit variant';
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'sequence';
  if (typeof value === 'object') return 'map';
  if (typeof value === 'string') return `string ${JSON.stringify(value.slice(0, 64))}`;
  if (typeof value === 'boolean') return `boolean \`${value}\``;
  const kind = typeof value === 'bigint' || Number.isInteger(value) ? 'integer' : 'floating point';
  return `${kind} \`${value}\``;
}

const problemOf = (error: unknown): string => {
  if (error instanceof RpcError && typeof error.data === 'string') return error.data;
  if (error instanceof SyntaxError) return 'not valid JSON';
  throw error;
};
