import { bootForTest, type TestApp, type TestOptions } from '@svc/plugin-sdk/testing';
import { authProbe } from './auth-probe.ts';

export const A = '0b9f3f3e-5a1c-4c53-9d0e-2f7b8f6f1c11';
export const FORMAT = "Invalid token format: must be 'key:secret' or 'username|password'";
export const WRONG = '102 Permission denied: Invalid credentials';
export const PARAMS = '-32602 Invalid params';
export const listen = [{ scopes: [{ agent_uuid: A }], permissions: [{ task: 'listen' }] }];

export const keyOf = (token: string) => token.slice(0, token.indexOf(':'));

/** A server with the plugin and the probe, and what most tests do with it. */
export async function tokenServer(config: Record<string, unknown>, options: TestOptions) {
  const probe = authProbe();
  const app: TestApp = await bootForTest(['token', probe.plugin], config, options);
  let last = 0;
  /** The result, or an error as `<code> <message>`. */
  const outcome = (method: string, params: unknown): Promise<any> =>
    app.call(method, params).catch((error) => `${error.code} ${error.message}`);
  return {
    app,
    probe,
    outcome,
    asSuper: (method: string, ...rest: unknown[]) => outcome(method, [app.superToken, ...rest]),
    whoami: (credential: string) => outcome('probe_whoami', [credential]),
    /** A fresh account: its username, and its credential as a token. */
    account: async (password = 'a password', name = `user${++last}`) => ({
      name,
      token: await app.token(listen, { username: name, password }),
    }),
    table: () => probe.sql('select * from token order by id'),
  };
}

export type TokenServer = Awaited<ReturnType<typeof tokenServer>>;

/** So that a busy machine has its time: nothing is measured here. */
const DEADLINE_MS = 60_000;

/** Repeats a check until it holds: for what happens soon, but not before an answer. @throws what the check threw last */
export async function eventually(check: () => void | Promise<void>): Promise<void> {
  const deadline = Date.now() + DEADLINE_MS;
  for (;;) {
    try {
      return await check();
    } catch (error) {
      if (Date.now() > deadline) throw error;
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
  }
}
