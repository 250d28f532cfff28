import { canonicalUuid, optional, RpcError, type Static, Type, Uuid } from '@svc/plugin-sdk';
import { MOST_TEXTS, MOST_WORDS, wordOf, words } from '@svc/plugin-sdk/schemas';
import { trim } from '@svc/plugin-sdk/util';
import { isStorable } from './storable.ts';

const only = { additionalProperties: false } as const;
const Url = Type.String({ description: 'Absolute URL (WHATWG), any scheme.' });

export const RecordType = words([
  'a',
  'aaaa',
  'cname',
  'mx',
  'txt',
  'ns',
  'srv',
  'ptr',
  'soa',
  'caa',
]);

const HttpRequest = Type.Object({
  url: Url,
  method: Type.String(),
  headers: Type.Optional(Type.Record(Type.String(), Type.String(), { maxProperties: MOST_TEXTS })),
  body: optional(Type.String()),
  body_base64: optional(Type.String()),
  ip: optional(Type.String()),
});

const Dns = Type.Object({
  domain: Type.String(),
  record_types: Type.Array(RecordType, { maxItems: MOST_WORDS }),
  dns_server: optional(Type.String()),
});

const Execute = Type.Object({
  cmd: Type.String(),
  args: Type.Array(Type.String(), { maxItems: MOST_TEXTS }),
});

const WebShell = Type.Object({ url: Url, terminal_id: Uuid });

/** A task as a caller writes it (task.md §2): one member, or a bare word for a type without content. */
export const TaskType = Type.Union([
  words(['read_config', 'ip', 'version']),
  Type.Object({ ping: Type.String() }, only),
  Type.Object({ tcp_ping: Type.String() }, only),
  Type.Object({ http_ping: Url }, only),
  Type.Object({ http_request: HttpRequest }, only),
  Type.Object({ dns: Dns }, only),
  Type.Object({ execute: Execute }, only),
  Type.Object({ web_shell: WebShell }, only),
  Type.Object({ edit_config: Type.String() }, only),
  Type.Object({ self_update: Type.String() }, only),
]);
export type TaskType = Static<typeof TaskType>;

/** A task in the form that is stored, sent to the agent and answered (task.md §2.2). */
export interface NormalTask {
  readonly name: string;
  /** A bare word, or an object of one member. */
  readonly value: unknown;
  /** JSON text of `value`. */
  readonly text: string;
}

/** The normal form of a value that passed `TaskType`. @throws RpcError -32602 when a URL is not absolute */
export function normaliseTaskType(given: TaskType): NormalTask {
  const [name, content] = memberOf(given);
  const value = content === undefined ? name : { [name]: normalContent(name, content) };
  return { name, value, text: JSON.stringify(value) };
}

/** Characters that a new task may hold: writing more as JSON would take longer than a turn of the event loop may. */
const MOST = 4 * 1024 * 1024;

/** @throws RpcError 108 */
export function refuseLong(given: TaskType): void {
  if (charactersOf(given) > MOST)
    throw RpcError.invalid(`a task has at most ${MOST} characters; send what is longer as a file`);
}

/** About as many as its JSON has, without escapes. */
function charactersOf(value: unknown): number {
  if (typeof value === 'string') return value.length + 3;
  if (typeof value !== 'object' || value === null) return 3;
  return Object.values(value).reduce<number>((sum, member) => sum + charactersOf(member), 0);
}

/** @throws RpcError 108 for a blank command, and for characters that a database cannot hold */
export function checkTask({ name, value, text }: NormalTask): void {
  if (name === 'execute') {
    const { cmd } = (value as { execute: Static<typeof Execute> }).execute;
    if (trim(cmd) === '') throw RpcError.invalid('execute.cmd is blank');
  }
  if (!isStorable(text)) {
    throw RpcError.invalid(`${name} holds U+0000 or half of a surrogate pair`);
  }
}

function memberOf(given: TaskType): [name: string, content: unknown] {
  if (typeof given === 'string') return [given, undefined];
  const [[name, content] = ['', null]] = Object.entries(given);
  return [name, content ?? undefined];
}

function normalContent(name: string, content: unknown): unknown {
  switch (name) {
    case 'http_ping':
      return absoluteUrl(content as string);
    case 'http_request':
      return httpRequest(content as Static<typeof HttpRequest>);
    case 'dns':
      return dns(content as Static<typeof Dns>);
    case 'execute': {
      const { cmd, args } = content as Static<typeof Execute>;
      return { cmd, args };
    }
    case 'web_shell': {
      const { url, terminal_id } = content as Static<typeof WebShell>;
      return { url: absoluteUrl(url), terminal_id: canonicalUuid(terminal_id) };
    }
    default:
      return content;
  }
}

const httpRequest = (given: Static<typeof HttpRequest>) => ({
  url: absoluteUrl(given.url),
  method: given.method,
  headers: sorted(given.headers ?? {}),
  body: given.body ?? null,
  body_base64: given.body_base64 ?? null,
  ip: given.ip ?? null,
});

const dns = (given: Static<typeof Dns>) => ({
  domain: given.domain,
  record_types: given.record_types.map(wordOf),
  dns_server: given.dns_server ?? null,
});

const sorted = (headers: { readonly [name: string]: string }) =>
  Object.fromEntries(Object.entries(headers).sort(([a], [b]) => (a < b ? -1 : 1)));

function absoluteUrl(text: string): string {
  try {
    return new URL(text).href;
  } catch (cause) {
    throw new RpcError(-32602, 'Invalid params', {
      data: `invalid value: ${(cause as Error).message}, expected an absolute URL`,
    });
  }
}
