import { type Methods, type Principal, RpcError, Type } from '@svc/plugin-sdk';
import { RawJson } from '@svc/plugin-sdk/json';
import { Int64, Uint64 } from '@svc/plugin-sdk/schemas';
import type { Components } from '../components.ts';
import { workerName } from '../names.ts';
import { mayClaim, mayDo } from '../permissions.ts';
import { nameTaken, routeTaken, type Worker } from '../store/workers.ts';
import { compileAndStore } from './compile.ts';
import { Content, contentOf, json, limitsOf, Name, notFound, withNames } from './content.ts';

/** js-worker.md §1.3 */
const LIMITS =
  'Limits, each null for the default: `max_run_time` is ms of one run (30,000), `max_heap_size` and `max_stack_size` are bytes (8,388,608 and 1,048,576). ' +
  '`runtime_clean_time` is ms: a context that is idle for so long is dropped; null: not for that.';

const orNull = (description: string) => Type.Union([Int64, Type.Null()], { description });
const Facts = {
  name: Type.String(),
  description: Type.Union([Type.String(), Type.Null()]),
  route_name: Type.Union([Type.String(), Type.Null()]),
  runtime_clean_time: orNull('Idle ms after which a loaded context is dropped; null: never.'),
  max_run_time: orNull('Longest run, ms; null: the default.'),
  max_stack_size: orNull('Bytes; null: the default.'),
  max_heap_size: orNull('Bytes; null: the default.'),
};
const Stored = {
  js_script_base64: Type.String(),
  env: Type.Unknown(),
  create_at: Int64,
  update_at: Int64,
  owner: Type.Optional(Type.String({ description: 'Token key; absent: the Super Token.' })),
};

/** `js-worker_create`, `_read`, `_update` and `_delete` (js-worker.md §3). */
export function addWorkerMethods(methods: Methods, components: Components): void {
  addCreate(methods, components);
  addRead(methods, components);
  addUpdate(methods, components);
  addDelete(methods, components);
}

/**
 * A route is claimed like a worker of its name: otherwise a token for one worker could take any address, and answer for
 * others. What a worker has already may stay. @throws RpcError 102; 108 when another worker has the route
 */
async function demandRoute(
  { kernel, workers }: Components,
  { route, caller, right }: RouteClaim,
  own?: Worker,
): Promise<void> {
  if (route === null || route === own?.route_name) return;
  const claim = mayClaim(right, route);
  if (!(await kernel.auth.allows(caller, claim))) throw RpcError.denied(claim.denied);
  if (await workers.byRoute(route)) throw routeTaken(route);
}

interface RouteClaim {
  readonly route: string | null;
  readonly caller: Principal;
  readonly right: 'create' | 'write';
}

function addCreate(methods: Methods, components: Components): void {
  const { kernel, owners, workers } = components;
  methods.add('js-worker_create', {
    summary: 'Stores a new script worker after compiling it.',
    description: LIMITS,
    params: Content,
    result: Type.Object({ id: Uint64, ...Facts, create_at: Int64, update_at: Int64 }),
    audit: ({ name }) => name,
    secret: true,
    prepare: withNames,
    access: { needs: ({ name }) => mayDo('create', name) },
    async handle(given, { caller, log }) {
      const content = await contentOf(given, await owners.of(caller));
      const { name, description, route_name } = content;
      if (await workers.byName(name)) throw nameTaken(name);
      await demandRoute(components, { route: route_name, caller, right: 'create' });
      let time = 0;
      const { id } = await compileAndStore(components, content, {
        write() {
          time = kernel.clock.now();
          return workers.insert(content, time);
        },
        rowOf: (stored) => ({ ...content, ...stored, update_at: time }),
      });
      log.info('worker created', { worker: name });
      const times = { create_at: time, update_at: time };
      return json({ id, name, description, route_name, ...limitsOf(content), ...times });
    },
  });
}

function addRead(methods: Methods, { workers }: Components): void {
  methods.add('js-worker_read', {
    summary: 'Everything of one script worker, its script and env included.',
    params: { name: Name },
    result: Type.Object({ ...Facts, ...Stored }),
    secret: true,
    prepare: ({ name }) => ({ name: workerName(name) }),
    access: { needs: ({ name }) => mayDo('read', name) },
    async handle({ name }) {
      const row = await workers.row(name);
      if (!row) throw notFound(name);
      const { description, route_name, js_script, env, create_at, update_at, owner } = row;
      return json({
        name: row.name,
        description,
        route_name,
        js_script_base64: Buffer.from(js_script).toString('base64'),
        ...limitsOf(row),
        env: new RawJson(env ?? 'null'),
        create_at,
        update_at,
        ...(owner !== null && { owner }),
      });
    },
  });
}

function addUpdate(methods: Methods, components: Components): void {
  const { kernel, owners, workers } = components;
  methods.add('js-worker_update', {
    summary: 'Replaces a script worker as a whole; what is absent is cleared.',
    description: LIMITS,
    params: Content,
    result: Type.Object({ success: Type.Literal(true), ...Facts, update_at: Int64 }),
    audit: ({ name }) => name,
    secret: true,
    prepare: withNames,
    access: { needs: ({ name }) => mayDo('write', name) },
    async handle(given, { caller, log }) {
      const content = await contentOf(given, await owners.of(caller));
      const { name, description, route_name } = content;
      const before = await workers.byName(name);
      if (!before) throw notFound(name);
      await demandRoute(components, { route: route_name, caller, right: 'write' }, before);
      const { update_at } = await compileAndStore(components, content, {
        async write() {
          const stored = await workers.update(content, kernel.clock.now());
          if (!stored) throw notFound(name);
          return stored;
        },
        rowOf: (stored) => ({ ...content, ...stored }),
      });
      log.info('worker changed', { worker: name });
      const limits = limitsOf(content);
      return json({ success: true, name, description, route_name, ...limits, update_at });
    },
  });
}

function addDelete(methods: Methods, { workers, changed }: Components): void {
  methods.add('js-worker_delete', {
    summary: 'Deletes a script worker; its results stay.',
    params: { name: Name },
    result: Type.Object({ success: Type.Literal(true), rows_affected: Type.Integer() }),
    audit: ({ name }) => name,
    prepare: ({ name }) => ({ name: workerName(name) }),
    access: { needs: ({ name }) => mayDo('delete', name) },
    async handle({ name }, { log }) {
      const id = await workers.remove(name);
      if (id === undefined) throw notFound(name);
      changed(id, 'the worker was deleted');
      log.info('worker deleted', { worker: name });
      return { success: true as const, rows_affected: 1 };
    },
  });
}
