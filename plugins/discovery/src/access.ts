import type { Example, Permission, Requirement, Scope } from '@svc/plugin-sdk';
import { RawJson } from '@svc/plugin-sdk/json';
import type { Definition, RegisteredMethod } from '@svc/plugin-sdk/kernel';
import { jsonSchema } from './json-schema.ts';
import { sampleOf } from './sample.ts';

/** The right that a call needs. In scopes and permissions `<name>` stands for what the parameter of that name says. */
export interface AccessFacts {
  readonly rule: 'public' | 'authenticated' | 'super' | 'needs' | 'anyOf' | 'custom';
  /** One sentence. */
  readonly words: string;
  /** Parameter that carries the credential. */
  readonly credential?: string;
  /** One of these, or as `words` says; each wants every permission in every scope. */
  readonly requirements?: readonly Right[];
}

interface Right {
  readonly scopes: readonly Scope[];
  readonly permissions: readonly Permission[];
}

const SIMPLE: { readonly [word: string]: string } = {
  public: 'Anyone, without a credential.',
  authenticated: 'Any valid credential.',
  super: 'The Super Token only.',
};

/** Runs the method's own rule on its examples, so that what is documented is what is asked for. */
export function accessOf(method: RegisteredMethod, examples: readonly Example[]): AccessFacts {
  const { definition, credential } = method;
  const { access, right } = definition;
  const rule =
    typeof access === 'string' ? access : (Object.keys(access)[0] as AccessFacts['rule']);
  const carried = credential === undefined ? {} : { credential };
  const simple = SIMPLE[rule];
  if (simple !== undefined) return { rule, words: simple, ...carried };
  if (right) {
    const { words, scopes = [], permissions } = right;
    return {
      rule,
      words: sentence(words),
      ...carried,
      ...(permissions && { requirements: [{ scopes, permissions }] }),
    };
  }
  const requirements = requirementsOf(definition, examples);
  if (requirements.length === 0)
    return { rule, words: 'It depends on the parameters.', ...carried };
  const words = sentence(requirements.map(rightWords).join('; or '));
  return { rule, words, ...carried, requirements };
}

const sentence = (clause: string) => `${clause[0]?.toUpperCase()}${clause.slice(1)}.`;

function requirementsOf(definition: Definition, examples: readonly Example[]): Right[] {
  const sample = Object.fromEntries(
    Object.entries(definition.params).map(([name, schema]) => [
      name,
      sampleOf(name, jsonSchema(schema)),
    ]),
  );
  const answered = examples.filter(({ error }) => !error).map(({ params }) => params);
  const rights = (answered.length > 0 ? answered : [sample]).flatMap((params) =>
    rightsFor(definition, params),
  );
  return [...new Map(rights.map((right) => [JSON.stringify(right), right])).values()];
}

function rightsFor(definition: Definition, params: Example['params']): Right[] {
  const { access, prepare } = definition;
  try {
    const bound = boundAs(definition, params);
    const input = prepare ? prepare(bound) : bound;
    const found: readonly Requirement[] =
      typeof access === 'string'
        ? []
        : 'needs' in access
          ? [access.needs(input)]
          : 'anyOf' in access
            ? access.anyOf(input)
            : [];
    return found.map((requirement) => symbolic(requirement, namesOf(params)));
  } catch {
    // A sample that the method's own checks refuse tells nothing of the right; the words say so.
    return [];
  }
}

/** The parameters as the kernel hands them over: some come as their JSON text. */
const boundAs = ({ params: schemas }: Definition, params: Example['params']) =>
  Object.fromEntries(
    Object.entries(params).map(([name, value]) => {
      const asText = Object.hasOwn(schemas[name] ?? {}, 'x-json-text');
      return [name, asText ? new RawJson(JSON.stringify(value)) : value];
    }),
  );

/** Returns the names of the texts among the parameters. */
function namesOf(value: unknown, name = '', names = new Map<string, string>()) {
  if (typeof value === 'string') names.set(value, names.get(value) ?? name);
  else if (Array.isArray(value)) for (const item of value) namesOf(item, name, names);
  else if (typeof value === 'object' && value !== null)
    for (const [member, inner] of Object.entries(value)) namesOf(inner, member, names);
  return names;
}

/** The requirement with names in place of what the parameters say. */
function symbolic({ scopes, permissions }: Requirement, names: Map<string, string>): Right {
  const shown = (text: string) => (names.has(text) ? `<${names.get(text)}>` : text);
  const inside = (record: { readonly [key: string]: string }) =>
    Object.fromEntries(Object.entries(record).map(([key, text]) => [key, shown(text)]));
  const right = {
    scopes: scopes.map((scope) => (scope === 'global' ? scope : inside(scope))),
    permissions: permissions.map((permission) =>
      Object.fromEntries(
        Object.entries(permission).map(([kind, word]) => [
          kind,
          typeof word === 'string' ? word : inside(word),
        ]),
      ),
    ),
  };
  return { scopes: distinct(right.scopes), permissions: distinct(right.permissions) };
}

const distinct = <T>(values: readonly T[]): T[] => [
  ...new Map(values.map((value) => [JSON.stringify(value), value])).values(),
];

const code = (text: string) => `\`${text}\``;

/** "`kv` `read` of `<key>`, in the scope `kv_namespace` `<namespace>`". */
function rightWords({ scopes, permissions }: Right): string {
  const allowed = permissions.map(permissionWords).join(' and ');
  return `${allowed}, in the scope ${scopes.map(scopeWords).join(' and ')}`;
}

export function permissionWords(permission: Permission): string {
  const [[kind, word] = ['', '']] = Object.entries(permission);
  if (typeof word === 'string') return `${code(kind)} ${code(word)}`;
  const [[verb, text] = ['', '']] = Object.entries(word);
  return `${code(kind)} ${code(verb)} of ${code(text)}`;
}

export function scopeWords(scope: Scope): string {
  if (scope === 'global') return code('global');
  const [[tag, name] = ['', '']] = Object.entries(scope);
  return `${code(tag)} ${code(name)}`;
}
