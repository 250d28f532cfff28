import { optional, type Static, Type, Uuid } from '@svc/plugin-sdk';
import { stringifyJson } from '@svc/plugin-sdk/json';
import { Float64, MOST_TEXTS, Uint64, wordOf } from '@svc/plugin-sdk/schemas';
import { storable } from './storable.ts';
import { RecordType } from './type.ts';

const only = { additionalProperties: false } as const;
const text = Type.String();
const orNull = Type.Union([text, Type.Null()]);

const HttpRequest = Type.Object({
  status: Type.Integer({ minimum: 0, maximum: 65535 }),
  headers: Type.Array(Type.Record(text, text, { minProperties: 1, maxProperties: 1 }), {
    maxItems: MOST_TEXTS,
  }),
  body: optional(text),
  body_base64: optional(text),
});

/** Records of one look-up at most: some thousands fit a message of each of the ten types. */
const MOST_RECORDS = 65_536;
const Dns = Type.Array(Type.Object({ record_type: RecordType, time: Float64, data: text }), {
  maxItems: MOST_RECORDS,
});

const Version = Type.Object({
  binary_type: text,
  cargo_version: text,
  git_branch: text,
  git_commit_sha: text,
  git_commit_date: text,
  git_commit_message: text,
  build_time: text,
  cargo_target_triple: text,
  rustc_channel: text,
  rustc_version: text,
  rustc_commit_date: text,
  rustc_commit_hash: text,
  rustc_llvm_version: text,
});

/** The result of a task (task.md §2): one member, named like the task's type. */
export const TaskResult = Type.Union([
  Type.Object({ ping: Float64 }, only),
  Type.Object({ tcp_ping: Float64 }, only),
  Type.Object({ http_ping: Float64 }, only),
  Type.Object({ http_request: HttpRequest }, only),
  Type.Object({ dns: Dns }, only),
  Type.Object({ execute: text }, only),
  Type.Object({ web_shell: Type.Boolean() }, only),
  Type.Object({ read_config: text }, only),
  Type.Object({ edit_config: Type.Boolean() }, only),
  Type.Object({ ip: Type.Tuple([orNull, orNull]) }, only),
  Type.Object({ version: Version }, only),
  Type.Object({ self_update: Type.Boolean() }, only),
]);
export type TaskResult = Static<typeof TaskResult>;

/** Result that an agent uploads (task.md §4.5). */
export const Upload = Type.Object({
  task_id: Uint64,
  agent_uuid: Uuid,
  task_token: text,
  timestamp: Uint64,
  success: Type.Boolean(),
  error_message: optional(text),
  task_event_result: optional(TaskResult),
});
export type Upload = Static<typeof Upload>;

/** A result as it is stored: its type's name, and JSON text without unknown members. */
export interface NormalResult {
  readonly name: string;
  readonly text: string;
}

/** The normal form of a value that passed `TaskResult`. */
export function normaliseResult(given: TaskResult): NormalResult {
  const [[name, content] = ['', null]] = Object.entries(given);
  return { name, text: storable(stringifyJson({ [name]: normalContent(name, content) })) };
}

function normalContent(name: string, content: unknown): unknown {
  if (name === 'http_request') {
    const { status, headers, body, body_base64 } = content as Static<typeof HttpRequest>;
    return { status, headers, body: body ?? null, body_base64: body_base64 ?? null };
  }
  if (name === 'dns') {
    return (content as Static<typeof Dns>).map(({ record_type, time, data }) => ({
      record_type: wordOf(record_type),
      time,
      data,
    }));
  }
  if (name === 'version') {
    const given = content as Record<string, string>;
    return Object.fromEntries(Object.keys(Version.properties).map((key) => [key, given[key]]));
  }
  return content;
}
