import { createECDH } from 'node:crypto';
import { cut } from '../words/clean.ts';
import { reading } from './answers.ts';
import { needed, present, secret, shortId, textOf, threadOf } from './build.ts';
import { encrypted, MOST_PAYLOAD, newChance, type Vapid, vapidHeader } from './encryption.ts';
import type { Context, HttpRequest, Kind, Rendered, Values } from './types.ts';

const PRIORITIES = { critical: 'high', warning: 'normal', info: 'low' } as const;
const LEFT = 'the browser has left: open this channel there and press “This browser”';
const DAY_S = 86_400;
const HALF_DAY_S = 43_200;

const bytesOf = (values: Values, name: string): Buffer =>
  Buffer.from(textOf(values, name), 'base64url');

/** Notification that the dashboard's service worker shows. */
function payloadOf(message: Rendered): Buffer {
  const of = (body: string) =>
    JSON.stringify(
      present({
        title: message.title,
        body,
        url: message.url,
        tag: shortId(threadOf(message)),
        severity: message.severity,
        state: message.state,
      }),
    );
  const room = MOST_PAYLOAD - Buffer.byteLength(of(''));
  const size = (text: string) => Buffer.byteLength(JSON.stringify(text)) + 10;
  return Buffer.from(of(cut(message.text, room, size)));
}

/** The private key belongs to the public one: else every push service would refuse what it signs. */
function isPair({ public_key, private_key }: Vapid): boolean {
  const pair = createECDH('prime256v1');
  try {
    pair.setPrivateKey(Buffer.from(private_key, 'base64url'));
  } catch {
    // A number that is no key of this curve; `false` tells it.
    return false;
  }
  return pair.getPublicKey('base64url') === public_key.replaceAll('=', '');
}

const vapidOf = (values: Values): Vapid => ({
  public_key: textOf(values, 'public_key'),
  private_key: textOf(values, 'private_key'),
});

/** Point of the curve, uncompressed. */
const isPoint = (bytes: Buffer): boolean => bytes.length === 65 && bytes[0] === 4;

function fault(values: Values): string | undefined {
  if (!textOf(values, 'endpoint').startsWith('https://'))
    return "'endpoint' begins with https://: take it from the subscription of the browser";
  if (!isPoint(bytesOf(values, 'p256dh')))
    return "'p256dh' is no public key: take it from the subscription of the browser";
  if (bytesOf(values, 'auth').length !== 16)
    return "'auth' is no secret of a subscription: take it from the subscription of the browser";
  if (!isPair(vapidOf(values)))
    return "'private_key' does not belong to 'public_key': write the two that were made together";
  return /^(?:mailto:[^\s@]+@[^\s@]+|https:\/\/\S+)$/.test(textOf(values, 'contact'))
    ? undefined
    : "'contact' is mailto: with an address, or an https address";
}

function request(values: Values, message: Rendered, { now }: Context): HttpRequest {
  const endpoint = textOf(values, 'endpoint');
  const subscription = { p256dh: bytesOf(values, 'p256dh'), auth: bytesOf(values, 'auth') };
  const claims = {
    aud: new URL(endpoint).origin,
    exp: Math.floor(now / 1_000) + HALF_DAY_S,
    sub: textOf(values, 'contact'),
  };
  return {
    url: endpoint,
    method: 'POST',
    headers: [
      ['content-type', 'application/octet-stream'],
      ['content-encoding', 'aes128gcm'],
      ['ttl', `${DAY_S}`],
      ['urgency', message.state === 'over' ? 'normal' : PRIORITIES[message.severity]],
      ['topic', shortId(threadOf(message))],
      ['authorization', vapidHeader(claims, vapidOf(values))],
    ],
    body: encrypted(payloadOf(message), subscription, newChance()),
  };
}

export const webpush: Kind = {
  kind: 'webpush',
  title: 'Browser notifications',
  summary: 'Notifications of this browser, also while the dashboard is closed (Web Push).',
  fields: [
    secret('endpoint', 'Endpoint', { type: 'url', host: true }),
    needed('p256dh', 'Key of the browser'),
    secret('auth', 'Secret of the browser'),
    needed('public_key', 'Public key of the server'),
    secret('private_key', 'Private key of the server'),
    needed('contact', 'Contact', {
      example: 'mailto:admin@example.com',
      help: 'Push services write there when something is wrong.',
    }),
  ],
  check: fault,
  request,
  answer: reading({
    title: 'The push service',
    hints: [
      ['unsubscribed', LEFT],
      ['expired', LEFT],
      ['vapid', 'the keys of the server are others than when the browser subscribed'],
    ],
  }),
  limits: { per_second: 2, burst: 10 },
  size: { title: 200, text: 2_500, bytes: true },
  markup: 'plain',
  priorities: PRIORITIES,
  idempotent: 'header',
};
