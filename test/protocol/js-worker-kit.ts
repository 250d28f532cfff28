import { bootForTest, type TestApp, type TestOptions } from '@svc/plugin-sdk/testing';

export const PARAMS = '-32602 Invalid params';
export const WRONG = '102 Permission denied: Invalid credentials';
export const CREDENTIAL =
  "101 Parse error: Failed to parse token: Invalid token format: must be 'key:secret' or 'username|password'";
/** How long a run may take before a test gives up. */
const WAIT_MS = 120_000;

export const base64 = (text: string): string => Buffer.from(text).toString('base64');
/** A module with these handlers. */
export const module = (handlers: string): string => `export default { ${handlers} };`;
/** A module whose `onCall` has this body. */
export const onCall = (body: string): string =>
  module(`async onCall(params, env, ctx) { ${body} }`);
export const onRoute = (body: string): string =>
  module(`async onRoute(request, env, ctx) { ${body} }`);

/**
 * Statement that waits until the test has said so, however long the machine takes to get there: `server.tell()`.
 * The worker needs what `server.waiting` holds.
 */
export const UNTIL_TOLD = `while ((await svc('js-result_query', { token: env.token,
  query: { condition: [{ js_worker_name: 'told' }] } })).result.length === 0)
  await new Promise((done) => setTimeout(done, 20));`;
export const PATIENT = { max_run_time: 300_000 };

/** A server with script workers, and what most tests do with it. */
export async function scriptServer(
  config: Record<string, unknown> = {},
  options: TestOptions & { readonly plugins?: readonly string[] } = {},
) {
  const { plugins = [], ...rest } = options;
  const app: TestApp = await bootForTest(['token', 'js-worker', ...plugins], config, rest);
  /** The result, or an error as `<code> <message>`. */
  const outcome = (method: string, params: unknown): Promise<any> =>
    app.call(method, params).catch((error) => `${error.code} ${error.message}`);
  const asSuper = (method: string, params: Record<string, unknown> = {}): Promise<any> =>
    outcome(method, { token: app.superToken, ...params });
  const query = (...condition: unknown[]): Promise<any> =>
    asSuper('js-result_query', { query: { condition } });

  /** Waits for the row of a run to be finished. */
  async function result(id: number): Promise<any> {
    const until = Date.now() + WAIT_MS;
    for (let pause_ms = 2; ; pause_ms = Math.min(pause_ms * 1.5, 40)) {
      const [row] = await query({ id });
      if (row?.finish_time) return row;
      if (Date.now() > until) throw new Error(`run ${id} does not end`);
      await new Promise((resolve) => setTimeout(resolve, pause_ms));
    }
  }
  return {
    app,
    outcome,
    asSuper,
    query,
    result,
    create: (name: string, script: string, rest: Record<string, unknown> = {}) =>
      asSuper('js-worker_create', { name, js_script_base64: base64(script), ...rest }),
    update: (name: string, script: string, rest: Record<string, unknown> = {}) =>
      asSuper('js-worker_update', { name, js_script_base64: base64(script), ...rest }),
    /** Starts a run. @returns its id, or an error as text */
    async start(name: string, params: unknown = null, rest: Record<string, unknown> = {}) {
      const answer = await asSuper('js-worker_run', { js_script_name: name, params, ...rest });
      return answer.id ?? answer;
    },
    /** Runs to the end: the row. */
    async run(name: string, params: unknown = null, rest: Record<string, unknown> = {}) {
      const answer = await asSuper('js-worker_run', { js_script_name: name, params, ...rest });
      if (typeof answer === 'string') throw new Error(answer);
      return result(answer.id);
    },
    /** Limits and env of a worker that is `UNTIL_TOLD`. */
    waiting: { ...PATIENT, env: { token: app.superToken } },
    /** Lets go on what is `UNTIL_TOLD`, until the results are deleted. */
    tell: () =>
      app.sql(
        "insert into js_result (js_worker_id, js_worker_name, run_type, start_time, finish_time) values (0, 'told', 'call', 0, 0)",
      ),
    untell: () => app.sql("delete from js_result where js_worker_name = 'told'"),
    token: (scopes: unknown[], permissions: unknown[], extra: Record<string, unknown> = {}) =>
      app.token([{ scopes, permissions }], extra),
  };
}
export type ScriptServer = Awaited<ReturnType<typeof scriptServer>>;

/** Tries again until it does not throw any more. */
export async function eventually<T>(check: () => T | Promise<T>, ms = 120_000): Promise<T> {
  const until = Date.now() + ms;
  for (;;) {
    try {
      return await check();
    } catch (error) {
      if (Date.now() > until) throw error;
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  }
}
