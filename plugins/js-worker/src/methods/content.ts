import { described, optional, RpcError, Type } from '@svc/plugin-sdk';
import { RawJson, stringifyExact } from '@svc/plugin-sdk/json';
import { Int64, JsonText } from '@svc/plugin-sdk/schemas';
import { routeName, scriptOf, workerName } from '../names.ts';
import type { Limits, Owned, WorkerContent } from '../store/workers.ts';

export const Name = Type.String({ description: 'Name of a script worker; trimmed.' });
export const Content = {
  name: Name,
  description: optional(Type.String({ description: 'For people.' })),
  js_script_base64: Type.String({ description: 'The ES module, UTF-8, in standard base64.' }),
  route_name: optional(Type.String({ description: 'Name of the HTTP route.' })),
  runtime_clean_time: described(
    optional(Int64),
    'Idle ms after which a loaded context is dropped. Absent: never.',
  ),
  env: described(Type.Optional(JsonText), 'Any JSON: what the script gets as `env`.'),
  max_run_time: described(optional(Int64), 'Longest run, ms. Absent: 30,000.'),
  max_stack_size: described(optional(Int64), 'Stack of the script, bytes. Absent: 1 MiB.'),
  max_heap_size: described(optional(Int64), 'Heap of the script, bytes. Absent: 8 MiB.'),
};
type Given = {
  name: string;
  description?: string | null;
  js_script_base64: string;
  route_name?: string | null;
  env?: RawJson | null;
} & { [limit in keyof Limits]?: Limits[limit] };

export const notFound = (name: string): RpcError =>
  RpcError.notFound(`js_worker not found: ${name}`);

export const limitsOf = (given: { readonly [limit in keyof Limits]?: Limits[limit] }): Limits => ({
  runtime_clean_time: given.runtime_clean_time ?? null,
  max_run_time: given.max_run_time ?? null,
  max_stack_size: given.max_stack_size ?? null,
  max_heap_size: given.max_heap_size ?? null,
});

/** The parameters with both names in their stored form. @throws RpcError 108 */
export const withNames = (given: Given) => ({
  ...given,
  name: workerName(given.name),
  route_name: routeName(given.route_name),
});

/** Returns the values that are stored. @throws RpcError 101, 108 */
export async function contentOf(
  given: ReturnType<typeof withNames>,
  owned: Owned,
): Promise<WorkerContent> {
  const { name, description, route_name, env } = given;
  const text = env === undefined || env === null ? 'null' : String(env.text);
  const script = await scriptOf(given.js_script_base64);
  // Neither database takes these in every text.
  if (/[\0\p{Cs}]/u.test(description ?? ''))
    throw RpcError.invalid('description holds U+0000 or half a character');
  return {
    name,
    description: description ?? null,
    js_script: script,
    route_name,
    env: text === 'null' ? null : text,
    ...limitsOf(given),
    ...owned,
  };
}

/** A result with integers of any size as they are. */
export const json = (value: unknown): RawJson => new RawJson(stringifyExact(value) ?? 'null');
