import { isDeepStrictEqual } from 'node:util';
import { UserError } from '@svc/plugin-sdk';
import { parse, TomlError } from 'smol-toml';

type Table = Readonly<Record<string, unknown>>;

/** Facts of an agent's configuration file about the agent and its connection to one server. */
export interface AgentFile {
  readonly uuid: string;
  /** `key:secret`, or `user|password` */
  readonly token: string;
  /** Kinds of tasks that it takes. */
  readonly kinds: readonly string[];
}

/** Reads the part for one server. @throws UserError where the text is no configuration of an agent of this server */
export function readAgentFile(text: string, server_uuid: string, kinds: readonly string[]) {
  const table = tableOf(text);
  const found = serversOf(table).find((one) => isFor(one, server_uuid));
  if (!found) throw new UserError(`it has no [[server]] with server_uuid = "${server_uuid}"`);
  const { allow_task, allow_task_type: listed = [] } = found;
  const list = (listed as string[]).length > 0 ? (listed as string[]) : switchedOn(found, kinds);
  return {
    uuid: String(table['agent_uuid']),
    token: String(found['token']),
    kinds: allow_task === true ? list : [],
  } satisfies AgentFile;
}

/**
 * The text with these kinds of tasks allowed to one server, everything else untouched; none: no tasks.
 * @throws UserError for a layout in which this changes more
 */
export function withKinds(text: string, server_uuid: string, kinds: readonly string[]): string {
  const allowed = {
    allow_task: kinds.length > 0,
    ...(kinds.length > 0 && { allow_task_type: kinds }),
  };
  const table = tableOf(text);
  const server = serversOf(table).map((one) => {
    const { allow_task: _task, allow_task_type: _type, ...others } = one;
    return isFor(one, server_uuid) ? { ...others, ...allowed } : one;
  });
  const lines = Object.entries(allowed).map(([key, value]) => `${key} = ${toml(value)}\n`);
  const changed = text
    .split(/^(?=[ \t]*\[)/m)
    .map((part) =>
      OF_A_SERVER.test(part) && part.toLowerCase().includes(server_uuid)
        ? replaced(part, lines)
        : part,
    )
    .join('');
  // The parser's tables differ from others in their prototype, which a clone does not have.
  const [is, wanted] = structuredClone([parsed(changed), { ...table, server }] as const);
  if (isDeepStrictEqual(is, wanted)) return changed;
  throw new UserError(`it has another layout: write ${lines.join('').trim()} into it by hand`);
}

const OF_A_SERVER = /^[ \t]*\[\[[ \t]*server[ \t]*\]\]/;
/** Lines of the old list, which may span several; one with a bracket in a comment is another layout. */
const OLD = /^[ \t]*allow_task(?:_type)?[ \t]*=(?:[ \t]*\[[^\]]*\])?.*(?:\n|$)/gm;

/** Puts lines in the place of the old ones, else at the end. */
function replaced(part: string, lines: readonly string[]): string {
  const at = part.search(OLD);
  const rest = part.replace(OLD, '');
  if (at >= 0) return rest.slice(0, at) + lines.join('') + rest.slice(at);
  const body = rest.trimEnd();
  return `${body}\n${lines.join('')}${rest.slice(body.length + 1)}`;
}

const toml = (value: boolean | readonly string[]): string =>
  typeof value === 'boolean' ? String(value) : `[${value.map((one) => `"${one}"`).join(', ')}]`;

/** Kinds that are allowed: a list that is not empty wins over the switches (clients.md §2.3). */
const switchedOn = (server: Table, kinds: readonly string[]): string[] =>
  kinds.filter((kind) => server[kind === 'ping' ? 'allow_icmp_ping' : `allow_${kind}`] === true);

const isFor = (server: Table, uuid: string): boolean =>
  String(server['server_uuid']).toLowerCase() === uuid;

const serversOf = ({ server }: Table): Table[] => (Array.isArray(server) ? server : []);

/** Parses TOML; undefined: the text is not TOML any more. */
function parsed(text: string): Table | undefined {
  try {
    return parse(text);
  } catch (error) {
    if (error instanceof TomlError) return undefined;
    throw error;
  }
}

function tableOf(text: string): Table {
  try {
    return parse(text);
  } catch (cause) {
    if (!(cause instanceof TomlError)) throw cause;
    // Only the first line: the others quote the file, which holds a token.
    throw new UserError(`line ${cause.line}: ${cause.message.split('\n')[0]}`);
  }
}
