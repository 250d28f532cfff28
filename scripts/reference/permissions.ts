import type { PermissionKind, Plugin } from '../../plugin-sdk/src/index.ts';
import { permissionWords } from '../../plugins/discovery/src/access.ts';
import { protocolKinds } from '../../plugins/token/src/permissions.ts';
import { code, GENERATED, link, table } from './markdown.ts';
import type { Method } from './methods.ts';

/** Every permission, and the methods that ask for it. */
export function permissionsPage(plugins: readonly Plugin[], methods: readonly Method[]): string {
  const kinds = new Map<string, PermissionKind>(Object.entries(protocolKinds.permissions ?? {}));
  for (const { permissions = {} } of plugins)
    for (const [kind, words] of Object.entries(permissions)) kinds.set(kind, words);
  const opened = openedBy(methods);
  const rows = [...kinds].flatMap(([kind, { words = [], choices = {}, patterns = [] }]) => [
    ...words.map((word) => [kind, word, { [kind]: word }] as const),
    ...Object.entries(choices).flatMap(([verb, names]) =>
      names.map((name) => [kind, `${verb} ${name}`, { [kind]: { [verb]: name } }] as const),
    ),
    ...patterns.map((verb) => [kind, `${verb} …`, { [kind]: { [verb]: '…' } }] as const),
  ]);
  const list = (names: Iterable<string>) => [...new Set(names)].sort().map(link).join(', ');
  const named = (rule: string) =>
    list(methods.filter((method) => method['x-access'].rule === rule).map(({ name }) => name));
  const scopes = Object.entries(protocolKinds.scopes).map(([tag, match]) => [
    code(JSON.stringify({ [tag]: '…' })),
    MATCHES[match],
  ]);
  return `${GENERATED}# Permissions and scopes

A limit of a token joins scopes and permissions: \`{"scopes":[…],"permissions":[…]}\`. A call is allowed when each permission that it needs is held in each scope that it needs. \`…\` is a text; where it ends with \`*\`, it stands for every text that begins so.

## Permissions

${table(
  ['Permission', 'Opens'],
  rows.map(([kind, word, permission]) => [
    code(JSON.stringify(permission)),
    list(
      opened.get(`${kind} ${word}`) ?? opened.get(`${kind} ${word.replace(/ .*/, '')} …`) ?? [],
    ) ||
      OTHER[`${kind} ${word}`] ||
      '–',
  ]),
)}## Scopes

${table(['Scope', 'Names compare'], [[code('"global"'), 'covers every scope'], ...scopes])}## Without a permission

- **Anyone:** ${named('public')}
- **Any valid credential:** ${named('authenticated') || '–'}
- **The Super Token:** ${named('super')}
`;
}

const MATCHES = {
  exact: 'as text',
  prefix: 'as text; a trailing `*` stands for any ending',
  uuid: 'in any spelling of one UUID',
};

/** Permissions that no method asks for. */
const OTHER: { readonly [permission: string]: string } = {
  'terminal connect': 'the terminal of an agent, `/terminal`',
  'svc list_all_agent_uuid':
    'as `monitoring_uuid` `list` for `svc-server_list_all_agent_uuid`; deprecated',
  'svc delete_agent_uuid': 'nothing; deprecated',
  'js_worker run_raw_js_worker': 'nothing',
};

/** "kind word" or "kind verb …" → methods. */
function openedBy(methods: readonly Method[]): Map<string, string[]> {
  const opened = new Map<string, string[]>();
  for (const { name, ...method } of methods)
    for (const { permissions } of method['x-access'].requirements ?? [])
      for (const permission of permissions) {
        const [kind = '', word = '', text] = permissionWords(permission)
          .split(/ (?:of )?/)
          .map((part) => part.replaceAll('`', ''));
        const isOpen = text !== undefined && /[<*]/.test(text);
        const key =
          text === undefined ? `${kind} ${word}` : `${kind} ${word} ${isOpen ? '…' : text}`;
        opened.set(key, [...(opened.get(key) ?? []), name]);
      }
  return opened;
}
