/** Limits of tokens: their words, and how they are read and changed. docs/reference/permissions.md */
import { word } from '../../../frame/index.ts';
import { t } from '../../../strings/index.ts';

export interface Entry {
  readonly scopes: readonly unknown[];
  readonly permissions: readonly unknown[];
}
export type Limit = readonly Entry[];

/** One line of the builder: a permission, or one with an argument. */
export interface Right {
  readonly kind: string;
  readonly verb: string;
  /** The arguments that there are. */
  readonly choices?: readonly string[];
  /** Any text is an argument; `*` at its end stands for every ending. */
  readonly isPattern?: true;
}

const rights = (kind: string, verbs: string): readonly Right[] =>
  verbs.split(' ').map((verb) => ({ kind, verb }));
const patterns = (kind: string, verbs: string): readonly Right[] =>
  rights(kind, verbs).map((right) => ({ ...right, isPattern: true }));
const readings = (kind: string, choices: string): Right => ({
  kind,
  verb: 'read',
  choices: choices.split(' '),
});

export type Area = keyof typeof t.tokens.areas;

/** Rights by area, in the order of their use. The plugin: without it a server does not have these words. */
export const AREAS: readonly {
  readonly id: Area;
  readonly plugin?: string;
  readonly rights: readonly Right[];
}[] = [
  {
    id: 'monitoring',
    rights: [
      ...rights('dynamic_monitoring_summary', 'read write delete'),
      readings('dynamic_monitoring', 'cpu ram load system disk network gpu'),
      ...rights('dynamic_monitoring', 'write delete'),
      readings('static_monitoring', 'cpu system gpu'),
      ...rights('static_monitoring', 'write delete'),
    ],
  },
  { id: 'machines', rights: rights('monitoring_uuid', 'list delete') },
  {
    id: 'tasks',
    rights: [...patterns('task', 'create read delete write'), ...rights('task', 'listen')],
  },
  { id: 'terminal', rights: rights('terminal', 'connect') },
  {
    id: 'jobs',
    rights: [
      ...rights('crontab', 'read write delete'),
      ...patterns('crontab_result', 'read delete'),
    ],
  },
  {
    id: 'kv',
    rights: [
      ...rights('kv', 'list_all_namespace list_all_keys'),
      ...patterns('kv', 'read write delete'),
    ],
  },
  { id: 'db', rights: rights('db', 'list read create update delete exec_sql') },
  {
    id: 'files',
    rights: [
      ...rights('static_bucket_file', 'list read write delete'),
      ...rights('static_bucket', 'read write delete'),
    ],
  },
  {
    id: 'scripts',
    rights: [
      ...rights('js_worker', 'list_all_js_worker run_defined_js_worker read create write delete'),
      ...patterns('js_result', 'read delete'),
    ],
  },
  {
    id: 'status',
    plugin: 'status-page',
    rights: rights('status_page', 'read write delete'),
  },
  { id: 'server', rights: rights('svc', 'exec_sql get_rt_pool') },
  { id: 'tokens', rights: rights('token', 'create') },
  { id: 'metrics', plugin: 'metrics', rights: rights('metrics', 'read') },
  { id: 'audit', plugin: 'audit', rights: rights('audit', 'read') },
];

/** Scopes other than `global`; the method lists the names that there are. */
export const SCOPES = [
  { tag: 'agent_uuid' },
  { tag: 'kv_namespace' },
  { tag: 'js_worker' },
  { tag: 'static_bucket' },
  { tag: 'db' },
  { tag: 'status_page', plugin: 'status-page' },
] as const;
export type ScopeTag = (typeof SCOPES)[number]['tag'];

/** Spelling of a kind on this server: `svc` is its brand's word. */
const tagOf = (kind: string): string => (kind === 'svc' ? word : kind);

export const permissionOf = ({ kind, verb }: Right, argument?: string): unknown => ({
  [tagOf(kind)]: argument === undefined ? verb : { [verb]: argument },
});

interface Words {
  readonly kind: string;
  readonly verb: string;
  readonly argument?: string;
}

/** Words of a right; `undefined`: its form is unknown. `{"word":null}` is the long form of `"word"`. */
function wordsOf(permission: unknown): Words | undefined {
  const [kind, content] = memberOf(permission);
  if (kind === undefined) return undefined;
  if (typeof content === 'string') return { kind, verb: content };
  const [verb, inner] = memberOf(content);
  if (verb === undefined) return undefined;
  if (inner === null) return { kind, verb };
  const argument = typeof inner === 'string' ? inner : memberOf(inner)[0];
  return argument === undefined ? undefined : { kind, verb, argument };
}

function memberOf(value: unknown): readonly [name: string | undefined, content: unknown] {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return [undefined, null];
  const members = Object.entries(value);
  return members.length === 1 ? (members[0] ?? [undefined, null]) : [undefined, null];
}

/** The arguments of a right that are held; undefined: it is not. An empty list: held, it has none. */
export function heldOf(
  permissions: readonly unknown[],
  { kind, verb }: Right,
): readonly string[] | undefined {
  const found = permissions
    .map(wordsOf)
    .filter((words) => words?.kind === tagOf(kind) && words.verb === verb);
  if (found.length === 0) return undefined;
  return found.flatMap((words) => (words?.argument === undefined ? [] : [words.argument]));
}

/** Limit with these arguments of the right and no others; undefined: without it. */
export function withRight(
  permissions: readonly unknown[],
  right: Right,
  held: readonly string[] | undefined,
): readonly unknown[] {
  const others = permissions.filter((permission) => heldOf([permission], right) === undefined);
  if (held === undefined) return others;
  const takesArgument = right.isPattern || right.choices;
  return [
    ...others,
    ...(takesArgument ? held.map((one) => permissionOf(right, one)) : [permissionOf(right)]),
  ];
}

export const UUID = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i;

export const isGlobal = (scope: unknown): boolean =>
  scope === 'global' || memberOf(scope)[0] === 'global';

export const namesIn = (scopes: readonly unknown[], tag: ScopeTag): readonly string[] =>
  scopes.flatMap((scope) => {
    const [found, name] = memberOf(scope);
    return found === tag && typeof name === 'string' ? [name] : [];
  });

export const withNames = (
  scopes: readonly unknown[],
  tag: ScopeTag,
  names: readonly string[],
): readonly unknown[] => [
  ...scopes.filter((scope) => memberOf(scope)[0] !== tag),
  ...names.map((name) => ({ [tag]: name })),
];

const ALL = AREAS.flatMap((area) => area.rights);

/** "read summaries", "start tasks (ping, dns)": one text a right, unknown ones as they are written. */
export function rightTexts(permissions: readonly unknown[]): readonly string[] {
  const words = t.tokens.rights as { readonly [right: string]: string };
  const texts = ALL.flatMap((right) => {
    const held = heldOf(permissions, right);
    if (held === undefined) return [];
    const label = words[`${right.kind}.${right.verb}`] ?? `${right.kind} ${right.verb}`;
    const isAll = held.includes('*') || right.choices?.every((one) => held.includes(one));
    if (held.length === 0 || isAll) return [label];
    const some = right.choices?.filter((one) => held.includes(one)).map(choiceText) ?? held;
    return [t.tokens.only(label, some.join(', '))];
  });
  return [...texts, ...unlisted(permissions).map((one) => JSON.stringify(one))];
}

/** Permissions that the builder has no line for. */
export const unlisted = (permissions: readonly unknown[]): readonly unknown[] =>
  permissions.filter((one) => ALL.every((right) => heldOf([one], right) === undefined));

export const choiceText = (choice: string): string =>
  (t.tokens.choices as { readonly [choice: string]: string })[choice] ?? choice;

/** "web-1, web-2", "namespace notes": where an entry holds. */
export function scopeTexts(
  scopes: readonly unknown[],
  nameOf: (uuid: string) => string,
): readonly string[] {
  if (scopes.some(isGlobal)) return [t.tokens.everywhere];
  return scopes.map((scope) => {
    const [tag, name] = memberOf(scope);
    if (typeof name !== 'string') return JSON.stringify(scope);
    if (tag === 'agent_uuid') return nameOf(name);
    // The namespace of a machine has its settings and documents.
    if (tag === 'kv_namespace' && UUID.test(name))
      return t.tokens.named(t.tokens.scopes.kv_namespace, nameOf(name));
    const label = (t.tokens.scopes as { readonly [tag: string]: string })[tag ?? ''];
    return label === undefined ? JSON.stringify(scope) : t.tokens.named(label, name);
  });
}

/** A limit, or what is wrong with it. Words are the server's to judge. */
export function limitOf(value: unknown): Limit | string {
  if (!Array.isArray(value)) return t.tokens.noList;
  for (const [at, entry] of value.entries()) {
    const { scopes, permissions } = (entry ?? {}) as Partial<Entry>;
    if (!Array.isArray(scopes)) return t.tokens.noMember(at + 1, 'scopes');
    if (!Array.isArray(permissions)) return t.tokens.noMember(at + 1, 'permissions');
    const wrong =
      scopes.find((one) => !isGlobal(one) && typeof memberOf(one)[1] !== 'string') ??
      permissions.find((one) => wordsOf(one) === undefined);
    if (wrong !== undefined) return t.tokens.noMeaning(at + 1, JSON.stringify(wrong));
  }
  return value as Limit;
}

/** Missing permissions in as few entries as possible: one for each list of scopes. */
export function joined(missing: Limit): Limit {
  const found = new Map<string, { scopes: readonly unknown[]; permissions: unknown[] }>();
  for (const { scopes, permissions } of missing) {
    const key = JSON.stringify(scopes);
    const entry = found.get(key) ?? { scopes, permissions: [] };
    entry.permissions.push(...permissions);
    found.set(key, entry);
  }
  return [...found.values()];
}

/** The limit with more entries; an entry of the same scopes takes them in. */
export function added(limit: Limit, more: Limit): Limit {
  const all = [...limit];
  for (const one of more) {
    const key = JSON.stringify(one.scopes);
    const at = all.findIndex(({ scopes }) => JSON.stringify(scopes) === key);
    const same = all[at];
    if (same) all[at] = { ...same, permissions: [...same.permissions, ...one.permissions] };
    else all.push(one);
  }
  return all;
}

/** Limit without rules that were added and not filled in. */
export const written = (limit: Limit): Limit =>
  limit.filter(({ scopes, permissions }) => scopes.length + permissions.length > 0);
