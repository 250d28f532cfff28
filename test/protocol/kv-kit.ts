import { bootForTest, type TestApp, type TestOptions } from '@svc/plugin-sdk/testing';

export const MARKER = '__svc_namespace_marker__';
export const DONE = { success: true };
export const CREDENTIAL =
  "101 Parse error: Failed to parse token: Invalid token format: must be 'key:secret' or 'username|password'";
export const WRONG = '102 Permission denied: Invalid credentials';
export const PARAMS = '-32602 Invalid params';

/** A server with the key-value store, and what most tests do with it. */
export async function kvServer(config: Record<string, unknown>, options: TestOptions) {
  const app: TestApp = await bootForTest(['token', 'kv'], config, options);
  /** The result, or an error as `<code> <message>`. */
  const outcome = (method: string, params: unknown): Promise<any> =>
    app.call(method, params).catch((error) => `${error.code} ${error.message}`);
  const asSuper = (method: string, ...rest: unknown[]): Promise<any> =>
    outcome(method, [app.superToken, ...rest]);
  return {
    app,
    outcome,
    asSuper,
    /** A namespace with these values. */
    async fill(namespace: string, values: { readonly [key: string]: unknown }): Promise<void> {
      await app.call('kv_create', [app.superToken, namespace]);
      await Promise.all(
        Object.entries(values).map(([key, value]) =>
          app.call('kv_set_value', [app.superToken, namespace, key, value]),
        ),
      );
    },
    /** The answer's text to a request whose parameters are JSON text. */
    async raw(method: string, params: string): Promise<string> {
      const response = await app.fetch('/', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: `{"jsonrpc":"2.0","id":1,"method":"${method}","params":${params}}`,
      });
      return response.text();
    },
    rows: (): Promise<{ namespace: string; key: string }[]> =>
      app.sql('select namespace, key from kv order by namespace, key'),
  };
}

export type KvServer = Awaited<ReturnType<typeof kvServer>>;
