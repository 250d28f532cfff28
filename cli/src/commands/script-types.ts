/**
 * Output of `svc worker types`: the globals and handlers of scripts (js-runtime.md §2 to §5) for an editor or `tsc`.
 * A file of types may name a package that is not there: then methods and their results are `any`.
 */
export const SCRIPT_TYPES = `// Types for the scripts of workers, written by \`svc worker types\`.
// Names, parameters and results of methods are known where the package @svc/client is installed.

type SvcMethods = import('@svc/client').Methods;
type SvcParams<M> = (M extends { params: infer P } ? P : Record<string, unknown>) & {
  token?: string;
  father_token?: string;
};
type SvcResult<M> = M extends { result: infer R } ? R : never;
type SvcAnswer<R> =
  | { jsonrpc: '2.0'; id: string | number | null; result: R; error?: undefined }
  | {
      jsonrpc: '2.0';
      id: string | number | null;
      result?: undefined;
      error: { code: number; message: string; data?: unknown };
    };
interface SvcRequest {
  jsonrpc: '2.0';
  id: string | number | null;
  method: string;
  params?: unknown;
}

/** One call of a method. A refusal is in the answer; nothing is thrown. The credential is a parameter. */
declare function svc<K extends keyof SvcMethods & string>(
  method: K,
  params?: SvcParams<SvcMethods[K]>,
  id?: string | number | null,
): Promise<SvcAnswer<SvcResult<SvcMethods[K]>>>;
/** Requests, or their JSON: they run one after the other. */
declare function svc(requests: readonly SvcRequest[]): Promise<SvcAnswer<any>[]>;
declare function svc(request: SvcRequest): Promise<SvcAnswer<any>>;
declare function svc(json: string): Promise<any>;

/** Runs \`onInlineCall\` of another worker. The time is in seconds. */
declare function inlineCall(name: string, params?: unknown, timeout_s?: number | null): Promise<any>;
declare function randomUUID(): string;
declare function execSql(token: string, sql: string, params?: readonly unknown[]): Promise<any>;
declare function getDatabaseType(token: string): Promise<any>;
declare const db: {
  create(token: string, name: string): Promise<any>;
  read(token: string, name: string): Promise<any>;
  update(token: string, name: string, new_name: string): Promise<any>;
  remove(token: string, name: string): Promise<any>;
  list(token: string): Promise<any>;
  execSql(token: string, name: string, sql: string, params?: readonly unknown[]): Promise<any>;
};
/** Entries of the server's log, with the target \`js_worker\`. */
declare const svcLog: Record<
  'trace' | 'debug' | 'info' | 'log' | 'warn' | 'error',
  (namespace: string, message: string) => void
>;

interface SvcContext {
  readonly runType: 'onCall' | 'onCron' | 'onRoute' | 'onInlineCall';
  readonly workerName: string;
  readonly inlineCall: typeof inlineCall;
  /** The worker that calls; null except in \`onInlineCall\`. */
  readonly inlineCaller: string | null;
}
/** The default export. What a handler returns must fit into JSON; \`undefined\` is a failure. */
interface SvcScript<Env = any> {
  onCall?(params: any, env: Env, ctx: SvcContext): unknown;
  onCron?(params: any, env: Env, ctx: SvcContext): unknown;
  onInlineCall?(params: any, env: Env, ctx: SvcContext): unknown;
  onRoute?(request: Request, env: Env, ctx: SvcContext): Response | Promise<Response>;
}
`;
