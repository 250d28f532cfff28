import { bootForTest, type TestApp, type TestOptions } from '@svc/plugin-sdk/testing';

export const CREDENTIAL =
  "101 Parse error: Failed to parse token: Invalid token format: must be 'key:secret' or 'username|password'";
export const WRONG = '102 Permission denied: Invalid credentials';
export const PARAMS = '-32602 Invalid params';

/** A statement that does not end by itself. */
export const ENDLESS =
  'with recursive c(n) as (select 1 union all select n + 1 from c) select sum(n) from c';

/** A server with the registry of databases, and what most tests do with it. */
export async function dbServer(config: Record<string, unknown>, options: TestOptions) {
  const app: TestApp = await bootForTest(['token', 'db'], config, options);
  /** The result, or an error as `<code> <message>`. */
  const outcome = (method: string, params: unknown): Promise<any> =>
    app.call(method, params).catch((error) => `${error.code} ${error.message}`);
  const asSuper = (method: string, ...rest: unknown[]): Promise<any> =>
    outcome(method, [app.superToken, ...rest]);
  return {
    app,
    outcome,
    asSuper,
    exec: (name: string, sql: string, params?: unknown): Promise<any> =>
      asSuper('db_exec_sql', name, sql, ...(params === undefined ? [] : [params])),
    /** The answer's text to a call whose `params` parameter is JSON text. */
    async execText(name: string, sql: string, params = 'null'): Promise<string> {
      const head = [app.superToken, name, sql].map((part) => JSON.stringify(part)).join(',');
      const response = await app.fetch('/', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: `{"jsonrpc":"2.0","id":1,"method":"db_exec_sql","params":[${head},${params}]}`,
      });
      return response.text();
    },
    /** A token that may run SQL on every database. */
    user: () => app.token([{ scopes: ['global'], permissions: [{ db: 'exec_sql' }] }]),
  };
}

export type DbServer = Awaited<ReturnType<typeof dbServer>>;

export const rows = (data: readonly unknown[]) => ({
  success: true,
  data,
  row_count: data.length,
  truncated: false,
});
