import type { Sandbox } from '@svc/plugin-script-quickjs/api';
import {
  Int64,
  JsonText,
  type Methods,
  optional,
  RawJson,
  RpcError,
  stringifyExact,
  Type,
} from '@svc/plugin-sdk';
import type { Components } from '../components.ts';
import { effective } from '../limits.ts';
import { routeName, scriptOf, workerName } from '../names.ts';
import { mayDo } from '../permissions.ts';
import { FILE } from '../run/pool.ts';
import {
  type Limits,
  nameTaken,
  routeTaken,
  type Worker,
  type WorkerContent,
} from '../store/workers.ts';

const Name = Type.String({ description: 'Name of a script worker; trimmed.' });
const Content = {
  name: Name,
  description: optional(Type.String()),
  js_script_base64: Type.String({ description: 'The ES module, UTF-8, in standard base64.' }),
  route_name: optional(Type.String({ description: 'Name of the HTTP route.' })),
  runtime_clean_time: optional(Int64),
  env: Type.Optional(JsonText),
  max_run_time: optional(Int64),
  max_stack_size: optional(Int64),
  max_heap_size: optional(Int64),
};
type Given = {
  name: string;
  description?: string | null;
  js_script_base64: string;
  route_name?: string | null;
  env?: RawJson | null;
} & { [limit in keyof Limits]?: Limits[limit] };

/** The heap that the compiler may always use (js-worker.md §2). */
const COMPILER_HEAP = 8_388_608;

export const notFound = (name: string): RpcError =>
  RpcError.notFound(`js_worker not found: ${name}`);

const limitsOf = (given: { readonly [limit in keyof Limits]?: Limits[limit] }): Limits => ({
  runtime_clean_time: given.runtime_clean_time ?? null,
  max_run_time: given.max_run_time ?? null,
  max_stack_size: given.max_stack_size ?? null,
  max_heap_size: given.max_heap_size ?? null,
});

/** The parameters with both names in their stored form. @throws RpcError 108 */
const withNames = (given: Given) => ({
  ...given,
  name: workerName(given.name),
  route_name: routeName(given.route_name),
});

function contentOf(given: ReturnType<typeof withNames>): WorkerContent {
  const { name, description, route_name, env } = given;
  const text = env === undefined || env === null ? 'null' : String(env.text);
  const script = scriptOf(given.js_script_base64);
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
  };
}

const json = (value: unknown): RawJson => new RawJson(stringifyExact(value) ?? 'null');

/** `js-worker_create`, `_read`, `_update` and `_delete` (js-worker.md §3). */
export function addWorkerMethods(methods: Methods, components: Components): void {
  const { kernel, workers, changed } = components;
  const now = () => kernel.clock.now();

  async function routeIsFree(route: string | null, own?: Worker): Promise<void> {
    const holder = route === null ? undefined : await workers.byRoute(route);
    if (route !== null && holder && holder.id !== own?.id) throw routeTaken(route);
  }

  methods.add('js-worker_create', {
    summary: 'Stores a new script worker after compiling it.',
    params: Content,
    result: Type.Unknown(),
    secret: true,
    prepare: withNames,
    access: { needs: ({ name }) => mayDo('create', name) },
    async handle(given) {
      const content = contentOf(given);
      if (await workers.byName(content.name)) throw nameTaken(content.name);
      await routeIsFree(content.route_name);
      const sandbox = await compiled(components, content);
      const time = now();
      const { id } = await insertOrDrop(sandbox, () => workers.insert(content, time));
      changed(id);
      keep(components, { ...content, id, update_at: time }, sandbox);
      const { name, description, route_name } = content;
      const times = { create_at: time, update_at: time };
      return json({ id, name, description, route_name, ...limitsOf(content), ...times });
    },
  });

  methods.add('js-worker_read', {
    summary: 'Everything of one script worker, its script and env included.',
    params: { name: Name },
    result: Type.Unknown(),
    secret: true,
    prepare: ({ name }) => ({ name: workerName(name) }),
    access: { needs: ({ name }) => mayDo('read', name) },
    async handle({ name }) {
      const row = await workers.row(name);
      if (!row) throw notFound(name);
      const { description, route_name, js_script, env, create_at, update_at } = row;
      return json({
        name: row.name,
        description,
        route_name,
        js_script_base64: Buffer.from(js_script).toString('base64'),
        ...limitsOf(row),
        env: new RawJson(env ?? 'null'),
        create_at,
        update_at,
      });
    },
  });

  methods.add('js-worker_update', {
    summary: 'Replaces a script worker as a whole; what is absent is cleared.',
    params: Content,
    result: Type.Unknown(),
    secret: true,
    prepare: withNames,
    access: { needs: ({ name }) => mayDo('write', name) },
    async handle(given) {
      const content = contentOf(given);
      const before = await workers.byName(content.name);
      if (!before) throw notFound(content.name);
      await routeIsFree(content.route_name, before);
      const sandbox = await compiled(components, content);
      const after = await insertOrDrop(sandbox, () => workers.update(content, now()));
      if (!after) {
        sandbox?.dispose();
        throw notFound(content.name);
      }
      changed(after.id);
      keep(components, { ...content, ...after }, sandbox);
      const { name, description, route_name } = content;
      const { update_at } = after;
      return json({
        success: true,
        name,
        description,
        route_name,
        ...limitsOf(content),
        update_at,
      });
    },
  });

  methods.add('js-worker_delete', {
    summary: 'Deletes a script worker; its results stay.',
    params: { name: Name },
    result: Type.Object({ success: Type.Literal(true), rows_affected: Type.Integer() }),
    prepare: ({ name }) => ({ name: workerName(name) }),
    access: { needs: ({ name }) => mayDo('delete', name) },
    async handle({ name }) {
      const id = await workers.remove(name);
      if (id === undefined) throw notFound(name);
      changed(id, 'the worker was deleted');
      return { success: true as const, rows_affected: 1 };
    },
  });
}

/** A context with the compiled script, if the worker's own limits let the compiler work. @throws RpcError 999 */
async function compiled(
  { sandboxes, kernel }: Components,
  content: WorkerContent,
): Promise<Sandbox | undefined> {
  const { heap, stack } = effective(content, kernel.config);
  const { js_script: source } = content;
  const nul = source.indexOf('\0');
  if (nul >= 0) throw precompile(`Script contains NUL byte: at position ${nul}`);
  try {
    const order = { source, file: FILE, stack, heap: Math.max(heap, COMPILER_HEAP) };
    const sandbox = await sandboxes.compile(order);
    if (heap >= COMPILER_HEAP) return sandbox;
    sandbox.dispose();
    return undefined;
  } catch (error) {
    throw precompile((error as Error).message);
  }
}

const precompile = (detail: string): RpcError =>
  RpcError.other(
    `JavaScript precompile failed: Error converting from js 'js_compile' into type 'String': ${detail}`,
  );

async function insertOrDrop<T>(sandbox: Sandbox | undefined, write: () => Promise<T>): Promise<T> {
  try {
    return await write();
  } catch (error) {
    sandbox?.dispose();
    throw error;
  }
}

/** The next run finds its context made. */
function keep({ pool }: Components, worker: Worker, sandbox: Sandbox | undefined): void {
  if (sandbox) pool.adopt(worker, sandbox);
}
