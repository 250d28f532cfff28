import { type Client, type Methods, RpcError, type Subscriptions } from '@svc/client';

/** Part of a log-in that the page stores: a session, not the token or password that it was made with. */
export interface Session {
  /** `key:secret`, or what was typed where the server has no sessions. */
  readonly credential: string;
  /** Unix ms; undefined: it ends with its token. */
  readonly ends_at?: number;
  readonly isRemembered: boolean;
  /** Tells whether it may list the agents, as far as the page knows. */
  readonly isLister?: boolean;
}

/** A month; the server may give less. */
const REMEMBERED_HOURS = 720;
const keyOf = (origin: string) => `svc-session ${origin}`;

/** The session of this tab, else that of the device. */
export function storedSession(origin: string): Session | undefined {
  const text = sessionStorage.getItem(keyOf(origin)) ?? localStorage.getItem(keyOf(origin));
  if (text === null) return undefined;
  const { credential, ends_at, isRemembered, isLister } = JSON.parse(text) as Partial<Session>;
  if (credential === undefined || (ends_at !== undefined && ends_at <= Date.now()))
    return undefined;
  return {
    credential,
    ...(ends_at !== undefined && { ends_at }),
    isRemembered: isRemembered === true,
    isLister: isLister === true,
  };
}

export function storeSession(origin: string, session: Session): void {
  forgetSession(origin);
  const store = session.isRemembered ? localStorage : sessionStorage;
  store.setItem(keyOf(origin), JSON.stringify(session));
}

/** Keeps with the stored session whether it may list the agents: the next page asks for them at once, or not. */
export function noteLister(origin: string, isLister: boolean): void {
  const key = keyOf(origin);
  const store = sessionStorage.getItem(key) === null ? localStorage : sessionStorage;
  const session = JSON.parse(store.getItem(key) ?? 'null') as Session | null;
  if (session) store.setItem(key, JSON.stringify({ ...session, isLister }));
}

export function forgetSession(origin: string): void {
  sessionStorage.removeItem(keyOf(origin));
  localStorage.removeItem(keyOf(origin));
}

/** Exchanges what was typed for a session. @throws RpcError 101, 102 for a bad credential */
export async function makeSession(
  client: Client<Methods, Subscriptions>,
  typed: string,
  isRemembered: boolean,
): Promise<Session> {
  try {
    const { key, secret, ends_at } = await client.call('session_create', {
      name: `${deviceName()}`,
      ...(isRemembered && { hours: REMEMBERED_HOURS }),
    });
    return { credential: `${key}:${secret}`, ends_at, isRemembered };
  } catch (error) {
    // A server without sessions: what was typed stays in this tab and goes nowhere else.
    if (!(error instanceof RpcError) || error.code !== -32601) throw error;
    return { credential: typed, isRemembered: false };
  }
}

/** Name by which people recognize this browser: "Chrome, Linux". */
export function deviceName(): string {
  const { userAgent } = navigator;
  const pick = (names: readonly string[]) => names.find((name) => userAgent.includes(name)) ?? '';
  const browser = pick(['Edg', 'OPR', 'Firefox', 'Chrome', 'Safari'])
    .replace('Edg', 'Edge')
    .replace('OPR', 'Opera');
  const system = pick(['Android', 'iPhone', 'iPad', 'Windows', 'Mac', 'Linux']);
  return [browser, system].filter((part) => part !== '').join(', ') || 'Browser';
}
