import { Uuid } from '@svc/plugin-sdk';
import { Check, Errors } from '@svc/plugin-sdk/typebox';

/** Part of JSON Schema that parameters use. */
interface Schema {
  readonly type?: string;
  readonly anyOf?: readonly Schema[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly properties?: Schemas;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean;
  /** Schema of a record's members. */
  readonly patternProperties?: Schemas;
  /** A list: the elements of a tuple. */
  readonly items?: Schema | readonly Schema[];
  readonly pattern?: string;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly description?: string | undefined;
}
type Schemas = { readonly [name: string]: Schema };

/** Longest text of the caller that a reason repeats. */
const LONGEST = 64;
/** Elements of a list among which the wrong one is looked for. */
const MOST_ELEMENTS = 1_000;

/**
 * Names the fault of a value that does not fit its schema, in the wording of conventions.md §2.3; the texts are
 * informative. For a union the reason speaks of the branch that the value is meant for, and of no other.
 * @param at where the value stands: `task_type.execute`
 */
export function reason(at: string, schema: Schema, value: unknown): string {
  const branches = branchesOf(schema);
  const fitting = branches.filter((branch) => hasTypeOf(branch, value));
  const tags = [...new Set(branches.flatMap(tagsOf))];
  const names = typeof value === 'string' ? [value] : namesIn(value);
  const open = fitting.find((branch) => tagsOf(branch).length === 0);
  const meant = fitting.find(({ properties = {} }) =>
    names.some((name) => Object.hasOwn(properties, name)),
  );
  const isChoice = typeof value === 'string' || (branches.length > 1 && typeof value === 'object');
  if (!meant && !open && isChoice && tags.length > 0) return wrongTag(at, names, tags);
  const branch = meant ?? open ?? fitting[0];
  if (branch) return whyNot(at, branch, value);
  const types = branches.map((each) => (tagsOf(each).length > 0 ? oneOf(tags) : typeName(each)));
  return `invalid type: ${describe(value)}, expected ${[...new Set(types)].join(' or ')}, at ${at}`;
}

/** Reason why a value of the right type does not fit a schema that is no union. */
function whyNot(at: string, schema: Schema, value: unknown): string {
  const members = typeof value === 'object' ? (value as Record<string, unknown>) : {};
  const names = namesIn(members);
  const wrong = schema.properties && wrongNames(at, schema, names);
  if (wrong) return wrong;
  for (const name of names) {
    const part = partOf(schema, name);
    const member = members[name];
    if (part && !Check(part as never, member))
      return reason(`${at}.${name.slice(0, LONGEST)}`, part, member);
  }
  const wanted = typeof value === 'string' ? lengthFor(schema, value) : undefined;
  if (wanted !== undefined) return `invalid length: expected ${wanted} characters, at ${at}`;
  const { pattern, description = Errors(schema as never, value)[0]?.message } = schema;
  const isUuid = pattern === (Uuid as Schema).pattern;
  const lead = isUuid ? 'UUID parsing failed' : `invalid value: ${describe(value)}`;
  return `${lead}, ${description?.replace(/\.$/, '')}, at ${at}`;
}

/** Returns how many characters a text may have; undefined: so many. */
function lengthFor({ minLength: least = 0, maxLength: most }: Schema, value: string) {
  const count = [...value].length;
  if (count >= least && count <= (most ?? count)) return undefined;
  if (most === undefined) return `at least ${least}`;
  return least === 0 ? `at most ${most}` : `${least} to ${most}`;
}

/** First elements of a long list. */
const namesIn = (value: unknown): readonly string[] =>
  Object.keys(Array.isArray(value) ? value.slice(0, MOST_ELEMENTS) : (value ?? {}));

/** Names the members that an object lacks, or has too much. */
function wrongNames(
  at: string,
  { properties = {}, required = [], additionalProperties }: Schema,
  names: readonly string[],
): string | undefined {
  const unknown = unknownField(names, Object.keys(properties));
  if (additionalProperties === false && unknown !== '') return `${unknown}, in ${at}`;
  const lacking = required.filter((name) => !names.includes(name));
  const [first] = lacking;
  if (first === undefined) return undefined;
  const are = `${ticked(lacking)} ${lacking.length === 1 ? 'is' : 'are'} missing`;
  return `missing field \`${first}\`, in ${at}: ${[are, unknown].filter(Boolean).join('; ')}`;
}

/** Names that are not among the known ones, with the known ones; empty when there are none. */
export function unknownField(names: readonly string[], known: readonly string[]): string {
  const unknown = names.filter((name) => !known.includes(name)).slice(0, 3);
  return unknown.length === 0 ? '' : `unknown field ${ticked(unknown)}, expected ${oneOf(known)}`;
}

function wrongTag(at: string, [name]: readonly string[], tags: readonly string[]): string {
  if (name === undefined) return `missing field, expected ${oneOf(tags)}, in ${at}`;
  return tags.includes(name)
    ? `missing content, expected {${JSON.stringify(name)}: …}, at ${at}`
    : `unknown variant ${ticked([name])}, expected ${oneOf(tags)}, at ${at}`;
}

/** A union inside a union counts as its branches. */
const branchesOf = (schema: Schema): readonly Schema[] =>
  schema.anyOf?.flatMap((branch) => branchesOf({ description: schema.description, ...branch })) ?? [
    schema,
  ];

/** The words, and names of single members, by which a caller picks a branch. */
function tagsOf({ enum: words, const: word, properties, required }: Schema): readonly string[] {
  const names = Object.keys(properties ?? {});
  if (properties) return names.length === 1 && required?.length === 1 ? names : [];
  return [...(words ?? []), word].filter((tag) => typeof tag === 'string');
}

/** Compares the type alone. */
function hasTypeOf({ type, enum: words }: Schema, value: unknown): boolean {
  const kind = kindOf(value);
  if (type === undefined) return words?.some((word) => kindOf(word) === kind) ?? true;
  return type === kind || (kind === 'integer' && (type === 'number' || type === 'bigint'));
}

/** The schema of a member or element. */
function partOf({ properties, patternProperties, items }: Schema, name: string) {
  if (properties) return Object.hasOwn(properties, name) ? properties[name] : undefined;
  if (patternProperties) return Object.values(patternProperties)[0];
  return Array.isArray(items) ? (items[Number(name)] as Schema | undefined) : (items as Schema);
}

/** Name of a type with its article. */
const typeName = ({ type = 'value' }: Schema): string =>
  `${/^(?:a|i|o|bi)/.test(type) ? 'an' : 'a'} ${type === 'bigint' ? 'integer' : type}`;

function kindOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  return typeof value === 'bigint' || Number.isInteger(value) ? 'integer' : typeof value;
}

const WORDS: { readonly [kind: string]: string } = { array: 'sequence', object: 'map' };

/** Kind and value; of a string the kind alone, because it may be a secret. */
function describe(value: unknown): string {
  const kind = kindOf(value);
  if (kind === 'number') return `floating point \`${value}\``;
  const shown = kind === 'integer' || kind === 'boolean';
  return shown ? `${kind} \`${String(value).slice(0, LONGEST)}\`` : (WORDS[kind] ?? kind);
}

const ticked = (names: readonly string[]): string =>
  names.map((name) => `\`${name.slice(0, LONGEST)}\``).join(', ');
const oneOf = (names: readonly string[]): string =>
  names.length === 1 ? ticked(names) : `one of ${ticked(names)}`;
