import { canonicalUuid, Uuid } from '@svc/plugin-sdk';

/** The query of `/terminal` (terminal.md §3). */
export interface TerminalQuery {
  /** UUID as given; checked after the role is known. */
  readonly agentUuid: string;
  readonly taskId: bigint | undefined;
  readonly taskToken: string | undefined;
  /** Lower-case hyphenated. */
  readonly terminalId: string | undefined;
  readonly token: string | undefined;
}

const NAMES = ['agent_uuid', 'task_id', 'task_token', 'terminal_id', 'token'] as const;
const UINT64_MAX = 2n ** 64n - 1n;
const uuidPattern = new RegExp((Uuid as unknown as { pattern: string }).pattern);

/** The lower-case hyphenated spelling; undefined for a text that is no UUID. */
export const uuidOf = (text: string): string | undefined =>
  uuidPattern.test(text) ? canonicalUuid(text) : undefined;

/** @returns the reason when the query does not decode */
export function parseQuery(query: URLSearchParams): TerminalQuery | string {
  for (const name of NAMES) {
    if (query.getAll(name).length > 1) return `duplicate field \`${name}\``;
  }
  const value = (name: (typeof NAMES)[number]) => query.get(name) ?? undefined;
  const agentUuid = value('agent_uuid');
  if (agentUuid === undefined) return 'missing field `agent_uuid`';
  const taskId = value('task_id');
  if (taskId !== undefined && !isUint64(taskId)) return 'task_id: not an unsigned integer';
  const terminalId = value('terminal_id');
  const terminal = terminalId === undefined ? undefined : uuidOf(terminalId);
  if (terminalId !== undefined && terminal === undefined) return 'terminal_id: not a UUID';
  return {
    agentUuid,
    taskId: taskId === undefined ? undefined : BigInt(taskId),
    taskToken: value('task_token'),
    terminalId: terminal,
    token: value('token'),
  };
}

const isUint64 = (text: string): boolean =>
  /^\d+$/.test(text) && text.length < 64 && BigInt(text) <= UINT64_MAX;
