import { type ReadonlySignal, type Signal, signal } from '@preact/signals';
import {
  type Client,
  createClient,
  type Methods,
  RpcError,
  type Subscription,
  type Subscriptions,
} from '@svc/client';
import { type Early, early } from './early.ts';
import { type Limit, limitOf, mayList, superLimit } from './limit.ts';
import { origins, wire } from './meta.ts';
import { allowedBy, Rights } from './rights.ts';
import {
  forgetSession,
  makeSession,
  noteLister,
  type Session,
  storedSession,
  storeSession,
} from './session.ts';

/** State of the connection: `until` is when the next attempt begins, Unix ms; `turn` counts how often it was opened. */
export interface Connection {
  readonly state: 'connecting' | 'open' | 'closed';
  readonly until?: number;
  readonly turn?: number;
}

export interface Me {
  readonly token_key: string;
  readonly username: string | null;
  readonly isSuper: boolean;
  /** Unix ms; null: no end. */
  readonly timestamp_to: number | null;
}

/** Methods and subscriptions of the built-in plugins. */
export type Method = keyof Methods | keyof Subscriptions;

type Call = Client<Methods, Subscriptions>['call'];
type Subscribe = Client<Methods, Subscriptions>['subscribe'];

/** One server after log-in. `holds` and `covers` read the limit of the token as it was then. */
export interface Server extends Limit, Early {
  readonly origin: string;
  /** Host and port. */
  readonly name: string;
  readonly version: string;
  readonly me: Me;
  readonly connection: ReadonlySignal<Connection>;
  /** Tells whether the plugin is enabled there. */
  readonly has: (plugin: string) => boolean;
  /**
   * Tells whether this token may call the method. Undefined until the server has said so; null where only the call itself
   * decides. What is asked in one turn goes out as one message, and each question once. Reading it in a component follows the answer.
   */
  readonly may: (method: Method, params?: object) => boolean | null | undefined;
  /** Names are those of `@svc/client`; another brand's are spelled for you. */
  readonly call: Call;
  readonly subscribe: Subscribe;
  readonly client: Client<Methods, Subscriptions>;
  /** The session is kept on the device. */
  readonly isRemembered?: boolean;
  /** End of the session, Unix ms; undefined: it ends with its token. */
  readonly ends_at?: number;
  /** The credential as it travels, for what is no method (a terminal). Never put it into an address. */
  readonly credential: () => string;
}

/** Server that is shown; undefined: not logged in. */
export const server = signal<Server | undefined>();
/** Reason for the log-in form: undefined before any attempt, a refused credential, or no answer. */
export const loginError = signal<unknown>();
export const isStarting = signal(true);

/** Returns the server, in components that are shown only after log-in: all pages. */
export function useServer(): Server {
  const found = server.value;
  if (!found) throw new Error('no server: this component is shown before log-in');
  return found;
}

/** Time without an answer after which a log-in fails, ms. */
const FIRST_MS = 10_000;

/** Asked at once at log-in, so that the menu is right at the first drawing. */
const ASKED_FIRST: readonly Method[] = [
  'token_list_all_tokens',
  'static-bucket_list',
  'svc-server_stream_log',
  'svc-server_read_config',
  'session_list',
  'token_change_own_password',
];

/** Key of the last server, in this tab and on this device: the tab's comes first. */
const ORIGIN_KEY = 'svc-server';
const [own = location.origin] = origins;
const lastOrigin = sessionStorage.getItem(ORIGIN_KEY) ?? localStorage.getItem(ORIGIN_KEY) ?? own;
/** The server that is shown, or that the log-in form is for. */
export const origin = signal(origins.includes(lastOrigin) ? lastOrigin : own);

/**
 * Logs in with the stored session; else the form appears. `onAsked` is called once the server has been asked, or when there
 * is no session.
 */
export async function resume(onAsked = () => {}): Promise<void> {
  const from = origin.value;
  const session = storedSession(from);
  if (!session) onAsked();
  try {
    if (!session) return;
    const opened = await open(from, session, onAsked);
    if (mayList(opened) !== session.isLister) noteLister(from, mayList(opened));
    server.value = opened;
  } catch (error) {
    loginError.value = isRefused(error) ? new SessionEnded() : error;
    if (isRefused(error)) forgetSession(from);
  } finally {
    isStarting.value = false;
  }
}

/** Shows another server of the list; each has its own session. */
export async function switchTo(next: string): Promise<void> {
  close();
  origin.value = next;
  sessionStorage.setItem(ORIGIN_KEY, next);
  localStorage.setItem(ORIGIN_KEY, next);
  loginError.value = undefined;
  isStarting.value = true;
  await resume();
}

/** The session was ended elsewhere, or its time has come. */
export class SessionEnded extends Error {}

const isRefused = (error: unknown): boolean =>
  error instanceof RpcError && error.message === INVALID;
const INVALID = 'Permission denied: Invalid credentials';

/** Exchanges what was typed for a session, which the tab keeps, or the device. @throws RpcError 101, 102; ConnectionError */
export async function logIn(typed: string, isRemembered: boolean): Promise<void> {
  const to = origin.value;
  const client = createClient(`${to}${wire('/svc/rpc')}`, { token: typed, reconnect: false });
  let session: Session;
  try {
    session = await makeSession(client, typed, isRemembered);
  } finally {
    client.close();
  }
  const opened = await open(to, session);
  storeSession(to, { ...session, isLister: mayList(opened) });
  loginError.value = undefined;
  server.value = opened;
}

let isChanging = false;

/**
 * `change` ends the session and resolves to what to log in with instead; until then the end of the session is no news. Where
 * that log-in fails, the form appears.
 */
export async function logInAgain(change: () => Promise<string>): Promise<void> {
  const old = server.value;
  isChanging = true;
  try {
    const typed = await change();
    old?.client.close();
    await logIn(typed, old?.isRemembered === true).catch((error) => {
      forgetSession(origin.value);
      loginError.value = error;
      server.value = undefined;
      throw error;
    });
  } finally {
    isChanging = false;
  }
}

/** Ends the session on the server, too. Where that cannot be reached, the session ends by its time. */
export function logOut(reason?: Error): void {
  const open = server.value;
  if (!open) return;
  loginError.value = reason;
  forgetSession(open.origin);
  const key = open.credential().split(':')[0] ?? '';
  const ended = open.has('token') ? open.client.call('session_revoke', { key }) : Promise.resolve();
  server.value = undefined;
  ended.catch(() => undefined).finally(() => open.client.close());
}

function close(): void {
  server.value?.client.close();
  server.value = undefined;
}

/** The server no longer takes the session. */
function endSession(of: string): void {
  if (isChanging || server.value?.origin !== of) return;
  forgetSession(of);
  loginError.value = new SessionEnded();
  close();
}

async function open(origin: string, session: Session, onOpen = () => {}): Promise<Server> {
  const { credential, ends_at, isRemembered } = session;
  const connection: Signal<Connection> = signal({ state: 'connecting' });
  let turn = 0;
  let isReconnecting = false;
  // The client comes back only when something waits for it; a page that only shows what it has read asks for nothing.
  const reconnect = () => {
    if (isReconnecting) return;
    isReconnecting = true;
    client
      .call(wire('svc-server_version') as 'svc-server_version', {}, { timeout_ms: 0 })
      .catch(() => undefined)
      .finally(() => {
        isReconnecting = false;
      });
  };
  const client = createClient(`${origin}${wire('/svc/rpc')}`, {
    token: () => credential,
    reconnect: { max_ms: 15_000 },
    onState: (state) => {
      connection.value = state === 'open' ? { state, turn: ++turn } : { state };
      if (state === 'open') onOpen();
    },
    wait: (ms) => {
      connection.value = { state: 'closed', until: Date.now() + ms };
      reconnect();
      return new Promise((done) => setTimeout(done, ms));
    },
  });
  try {
    const described = await describe(origin, client, connection, session);
    return { ...described, isRemembered, ...(ends_at !== undefined && { ends_at }) };
  } catch (error) {
    client.close();
    throw error;
  }
}

async function describe(
  origin: string,
  client: Client<Methods, Subscriptions>,
  connection: Signal<Connection>,
  { credential, isLister = false }: Session,
): Promise<Server> {
  const call = (async (method: string, ...rest: [never]) => {
    try {
      return await client.call(wire(method) as never, ...rest);
    } catch (error) {
      if (isRefused(error)) endSession(origin);
      throw error;
    }
  }) as Call;
  const started = early(client, isLister);
  const [me, plugins, version, ...answers] = await client.batch(
    [
      ['token_get'],
      [wire('svc-server_plugins') as 'svc-server_plugins'],
      [wire('svc-server_version') as 'svc-server_version'],
      ...ASKED_FIRST.map((method) => ['token_explain', { method: wire(method) }] as const),
    ] as const,
    { timeout_ms: FIRST_MS },
  );
  if (me.status === 'rejected') throw me.reason;
  if (plugins.status === 'rejected') throw plugins.reason;
  const names = new Set(plugins.value.plugins.map(({ name }) => name));
  const rights = new Rights(client);
  for (const [at, answer] of answers.entries())
    rights.set(ASKED_FIRST[at] ?? '', allowedBy(answer));
  const { token_key, username, timestamp_to, token_limit } = me.value;
  const isSuper = rights.of('token_list_all_tokens') === true;
  const limit = isSuper ? superLimit : limitOf(token_limit as Parameters<typeof limitOf>[0]);
  if (names.has('agent')) started.follow(limit);
  const has = (plugin: string) => names.has(plugin);
  await started.listed(mayList({ ...limit, has }));
  return {
    ...limit,
    ...started.claims,
    origin,
    name: new URL(origin).host,
    version: version.status === 'fulfilled' ? String(version.value.cargo_version) : '',
    me: { token_key, username, timestamp_to, isSuper },
    connection,
    has,
    may: (method, params) => rights.of(method, params),
    call,
    subscribe: ((method: string, ...rest: [never]) =>
      client.subscribe(wire(method) as never, ...rest)) as Subscribe,
    client,
    credential: () => credential,
  };
}

export type { Subscription };
