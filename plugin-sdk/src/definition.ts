import { didYouMean } from './util/nearest.ts';

/** Finds what is wrong with a value; undefined: nothing. */
type Rule = (value: unknown) => string | undefined;
type Rules = { readonly [member: string]: Rule };

const text: Rule = (value) =>
  typeof value === 'string' && value !== '' ? undefined : 'must be a text that is not empty';
const flag: Rule = (value) => (typeof value === 'boolean' ? undefined : 'must be true or false');
const code: Rule = (value) => (typeof value === 'function' ? undefined : 'must be a function');
const maybe =
  (rule: Rule): Rule =>
  (value) =>
    value === undefined ? undefined : rule(value);

const common: Rules = {
  summary: text,
  description: maybe(text),
  deprecated: maybe(flag),
  addition: maybe(flag),
  params: paramsFault,
  credential: maybe(text),
  malformed: maybe(code),
  mapError: maybe(code),
  secret: maybe(flag),
  logsRefusals: maybe(flag),
  gathered: maybe(flag),
  audit: maybe(code),
  prepare: maybe(code),
  access: accessFault,
  right: maybe((value) =>
    isRecord(value) ? text(value['words']) : 'must be an object with words',
  ),
  check: maybe(code),
};
const RULES = {
  method: { ...common, result: schemaFault, handle: code },
  subscription: {
    ...common,
    unsubscribe: text,
    notification: maybe(text),
    item: schemaFault,
    livesOn: maybe(code),
    open: code,
  },
};

/** Advice on what to write, for each member that must be there. */
const PURPOSE: { readonly [member: string]: string } = {
  summary: 'say in one sentence what the method does',
  params: 'list the parameters in order, {} for none',
  access: `say which right a call needs: 'public', 'authenticated', 'super', superOnly(…), needs(…), anyOf(…) or { custom }`,
  result: 'give the schema of the result, Type.Unknown() for any',
  item: 'give the schema of one item, Type.Unknown() for any',
  handle: 'give the function that answers the call',
  open: 'give the function that opens the stream',
  livesOn: `its access is custom, so return the rights without which the stream ends, as (input, call) => [right]`,
  unsubscribe: 'name the method that ends the subscription',
};

/** The fault of a definition, as plain JavaScript may have one, with what to change. @returns undefined for a sound one */
export function definitionFault(
  kind: 'method' | 'subscription',
  definition: unknown,
): string | undefined {
  if (!isRecord(definition)) return `: must be an object with 'summary', 'params', 'access' …`;
  const rules: Rules = RULES[kind];
  for (const [member, rule] of Object.entries(rules)) {
    const value = definition[member];
    const fault = rule(value) ?? lifeFault(member, definition);
    if (fault === undefined) continue;
    const isMissing = value === undefined && PURPOSE[member] !== undefined;
    return isMissing ? missing(member, definition, rules) : `: ${named(member, fault)}`;
  }
  const unknown = Object.keys(definition).find((member) => !Object.hasOwn(rules, member));
  if (unknown === undefined) return undefined;
  if (unknown === 'validate')
    return `: 'validate' is called 'prepare' now; it returns what 'handle' gets`;
  return `: there is no member '${unknown}'${didYouMean(unknown, Object.keys(rules))}`;
}

/** Finds `livesOn` missing: for a rule that is code it cannot be told which rights the stream lives on. */
function lifeFault(member: string, { access, livesOn }: Record<string, unknown>) {
  const isCustom = member === 'livesOn' && isRecord(access) && 'custom' in access;
  return isCustom && livesOn === undefined ? 'must be a function' : undefined;
}

/** A fault that begins with a colon lies in a part of the member. */
const named = (member: string, fault: string) =>
  `'${member}'${fault.startsWith(':') ? '' : ' '}${fault}`;

function missing(member: string, definition: object, rules: object): string {
  const unknown = Object.keys(definition).filter((given) => !Object.hasOwn(rules, given));
  const meant = unknown.find((given) => didYouMean(given, [member]) !== '');
  const hint = meant === undefined ? PURPOSE[member] : `'${meant}' must be called so`;
  return ` has no '${member}': ${hint}`;
}

function paramsFault(params: unknown): string | undefined {
  if (!isRecord(params)) return 'must be an object: parameter name → schema, {} for none';
  for (const [name, schema] of Object.entries(params)) {
    const fault = schemaFault(schema);
    if (fault !== undefined) return `: ${named(name, fault)}`;
  }
  return undefined;
}

const WORDS = ['public', 'authenticated', 'super'];
const RULE_OF_ACCESS: Rules = { super: text, needs: code, anyOf: code, custom: code };

function accessFault(access: unknown): string | undefined {
  if (typeof access === 'string') {
    if (WORDS.includes(access)) return undefined;
    return `is '${access}', which is no access word${didYouMean(access, WORDS) || ` (${WORDS.join(', ')})`}`;
  }
  const members = isRecord(access) ? Object.entries(access) : [];
  const [[name, value] = ['', undefined]] = members;
  const rule = members.length === 1 ? RULE_OF_ACCESS[name] : undefined;
  if (!rule) return 'must be a word or one of superOnly(…), needs(…), anyOf(…), { custom }';
  const fault = rule(value);
  return fault && `: ${named(name, fault)}`;
}

const TYPES = new Set('null boolean object array number integer string bigint'.split(' '));
const JSON_SCHEMA = 'anyOf allOf oneOf not const enum $ref $defs properties items pattern';
const KEYWORDS = new Set(`type title description ${JSON_SCHEMA}`.split(' '));

/** A schema is a JSON Schema, however it was made; compiling one that is none would accept every value. */
function schemaFault(schema: unknown): string | undefined {
  if (typeof schema === 'function') return 'is a function, no schema; call it, as Type.String()';
  if (!isRecord(schema)) return `is no schema; write Type.String() or another of Type's`;
  const types = [schema['type'] ?? []].flat();
  const unknown = types.find((type) => !TYPES.has(String(type)));
  if (unknown !== undefined)
    return `has the unknown type '${unknown}'${didYouMean(String(unknown), TYPES)}`;
  const { pattern } = schema;
  if (typeof pattern === 'string' && !isPattern(pattern))
    return `has the pattern '${pattern}', which is no regular expression`;
  const keys = Object.keys(schema);
  const isSchema = '~kind' in schema || keys.length === 0 || keys.some((key) => KEYWORDS.has(key));
  if (!isSchema) return 'is a plain object, no schema; wrap its members in Type.Object({ … })';
  return nestedFault(schema);
}

/** Tells whether the compiled check will be able to read a pattern: it does so at the first call, and a fault is reported at the start here. */
function isPattern(text: string): boolean {
  try {
    return new RegExp(text, 'u').source !== '';
  } catch {
    return false;
  }
}

function nestedFault({ properties, items, anyOf }: Record<string, unknown>): string | undefined {
  const nested = [Object.values(properties ?? {}), items ?? [], anyOf ?? []].flat();
  return nested.map(schemaFault).find((fault) => fault !== undefined);
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
