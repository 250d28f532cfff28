import { described, type Methods, optional, Type } from '@svc/plugin-sdk';
import { RawJson } from '@svc/plugin-sdk/json';
import { JsonText, Uint64, wordOf, words } from '@svc/plugin-sdk/schemas';
import type { Components } from '../components.ts';
import { workerName } from '../names.ts';
import { shareOfCaller } from '../owners.ts';
import { mayDo, maySee, maySeePool } from '../permissions.ts';
import { notFound } from './content.ts';

const RunTypes = words(['call', 'cron', 'route', 'inline_call']);
const Modes = words(['bytecode', 'source']);

const textOf = (given: RawJson): string =>
  typeof given.text === 'string' ? given.text : Buffer.from(given.text).toString();

/** `js-worker_run`, `_list_all_js_worker` and `_get_rt_pool` (js-worker.md §3.5 to §3.7). */
export function addRunMethods(methods: Methods, components: Components): void {
  addRun(methods, components);
  addList(methods, components);
  addPool(methods, components);
}

function addRun(methods: Methods, { runner, workers }: Components): void {
  methods.add('js-worker_run', {
    summary:
      'Starts a run and gives the id of its result, which is there when `finish_time` is set.',
    params: {
      js_script_name: Type.String({ description: 'Name of the script worker; trimmed.' }),
      run_type: described(optional(RunTypes), 'The handler that runs. Default: `call`.'),
      params: described(JsonText, 'Any JSON: what the handler gets.'),
      env: described(Type.Optional(JsonText), 'Any JSON instead of the `env` of the worker.'),
      compile_mode: described(
        optional(Modes),
        '`bytecode`: in the loaded context, as by default; `source`: in a fresh one.',
      ),
    },
    result: Type.Object({ id: Uint64 }),
    prepare: ({ js_script_name, ...given }) => ({
      ...given,
      name: workerName(js_script_name, 'js_script_name'),
    }),
    access: { needs: ({ name }) => mayDo('run_defined_js_worker', name) },
    async handle({ name, run_type, params, env, compile_mode }, { caller }) {
      const worker = await workers.byName(name);
      if (!worker) throw notFound(name);
      const given = env ? textOf(env) : 'null';
      const order = {
        runType: run_type ? wordOf(run_type) : ('call' as const),
        params: textOf(params),
        env: given === 'null' ? null : given,
        share: shareOfCaller(caller),
      };
      const mode = compile_mode ? wordOf(compile_mode) : 'bytecode';
      const id = await runner.start(worker, order, mode);
      return new RawJson(`{"id":${id}}`);
    },
  });
}

function addList(methods: Methods, { kernel, workers }: Components): void {
  methods.add('js-worker_list_all_js_worker', {
    summary: 'Names of the script workers that the caller may list, ascending.',
    params: {},
    result: Type.Array(Type.String()),
    right: {
      words:
        'any valid credential; the answer holds the workers for which the caller has `js_worker` `list_all_js_worker`',
      scopes: [{ js_worker: '…' }],
      permissions: [{ js_worker: 'list_all_js_worker' }],
    },
    access: {
      async custom(_params, call) {
        await call.authenticate();
      },
    },
    async handle(_params, { caller }) {
      const shown: string[] = [];
      for (const name of await workers.names()) {
        if (await kernel.auth.allows(caller, maySee(name))) shown.push(name);
      }
      return shown;
    },
  });
}

function addPool(methods: Methods, { pool }: Components): void {
  methods.add('js-worker_get_rt_pool', {
    summary: 'The contexts that are loaded in this process.',
    params: {},
    result: Type.Object({
      total_workers: Type.Integer(),
      workers: Type.Array(
        Type.Object({
          script_name: Type.String(),
          active_requests: Type.Integer({ description: 'Running and waiting.' }),
          last_used_ms: Type.Integer(),
          idle_ms: Type.Integer(),
          runtime_clean_time_ms: Type.Union([Type.Number(), Type.Null()]),
        }),
      ),
    }),
    access: { needs: maySeePool },
    handle() {
      const entries = pool.list();
      return { total_workers: entries.length, workers: entries };
    },
  });
}
