import { t } from '../../../strings/index.ts';

/** Time that the push service has, ms. */
const WAIT_MS = 30_000;

export const WEB_PUSH = 'webpush';
const FILLED = ['endpoint', 'p256dh', 'auth', 'public_key', 'private_key'];

/** Tells whether a field is filled by the subscription of a browser. */
export const isFilledByBrowser = (kind: string, field: string): boolean =>
  kind === WEB_PUSH && FILLED.includes(field);

/** Values that the form of a channel of the kind `webpush` takes. */
export interface Subscription {
  readonly config: { readonly p256dh: string; readonly public_key: string };
  readonly secret: {
    readonly endpoint: string;
    readonly auth: string;
    readonly private_key: string;
  };
}

/** The browser is subscribed already, with this public key. */
export class Taken extends Error {
  readonly public_key: string;

  constructor(public_key: string) {
    super('the browser is subscribed with another key');
    this.public_key = public_key;
  }
}

/** Words for what keeps this browser from being notified, whatever is pressed. */
export function obstacle(): string | undefined {
  if (!isSecureContext) return t.alerts.browser.insecure;
  const isAble =
    'serviceWorker' in navigator && 'PushManager' in window && 'Notification' in window;
  return isAble ? undefined : t.alerts.browser.unable;
}

/**
 * Subscribes this browser with a new pair of keys, in place of the subscription with the key `replaced`.
 * @throws Taken, or Error with words for a person
 */
export async function subscribe(replaced: string | undefined): Promise<Subscription> {
  const permission = await Notification.requestPermission();
  if (permission === 'denied') throw new Error(t.alerts.browser.denied);
  if (permission !== 'granted') throw new Error(t.alerts.browser.unanswered);
  const { noWorker } = t.alerts.browser;
  const { pushManager } = await inTime(worker(), noWorker('').trim());
  const pair = await newPair();
  const made = await subscribed(pushManager, pair.raw, replaced);
  const { endpoint = '', keys: { p256dh = '', auth = '' } = {} } = made.toJSON();
  const { public_key, private_key } = pair;
  return { config: { p256dh, public_key }, secret: { endpoint, auth, private_key } };
}

/** The registration, once its worker runs. */
async function worker(): Promise<ServiceWorkerRegistration> {
  try {
    await navigator.serviceWorker.register(new URL('push.js', document.baseURI));
  } catch (error) {
    throw new Error(t.alerts.browser.noWorker((error as Error).message));
  }
  return navigator.serviceWorker.ready;
}

async function subscribed(
  manager: PushManager,
  applicationServerKey: ArrayBuffer,
  replaced: string | undefined,
): Promise<PushSubscription> {
  try {
    const options = { userVisibleOnly: true, applicationServerKey };
    return await inTime(manager.subscribe(options), t.alerts.browser.unreachable);
  } catch (error) {
    const { name } = error as Error;
    if (name === 'NotAllowedError') throw new Error(t.alerts.browser.denied);
    if (['AbortError', 'NetworkError'].includes(name))
      throw new Error(t.alerts.browser.unreachable);
    if (name !== 'InvalidStateError') throw error;
  }
  const old = await manager.getSubscription();
  const key = old?.options.applicationServerKey;
  const public_key = key ? base64url(key) : '';
  if (public_key !== replaced) throw new Taken(public_key);
  await old?.unsubscribe();
  return subscribed(manager, applicationServerKey, undefined);
}

async function newPair() {
  const { subtle } = crypto;
  const curve = { name: 'ECDSA', namedCurve: 'P-256' };
  const { publicKey, privateKey } = await subtle.generateKey(curve, true, ['sign', 'verify']);
  const raw = await subtle.exportKey('raw', publicKey);
  const { d = '' } = await subtle.exportKey('jwk', privateKey);
  return { raw, public_key: base64url(raw), private_key: d };
}

const base64url = (bytes: ArrayBuffer): string =>
  btoa(String.fromCharCode(...new Uint8Array(bytes)))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '');

/** @throws Error with these words, where nothing happens in time */
function inTime<T>(work: Promise<T>, words: string): Promise<T> {
  return new Promise((done, fail) => {
    const timer = setTimeout(() => fail(new Error(words)), WAIT_MS);
    work.then(done, fail).finally(() => clearTimeout(timer));
  });
}
