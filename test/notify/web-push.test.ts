// Web Push against the vectors of RFC 8291 (appendix A) and RFC 8292 (section 2.4), and as a browser reads it.
import { createPublicKey, verify } from 'node:crypto';
import * as assert from 'uvu/assert';
import {
  encrypted,
  MOST_PAYLOAD,
  newChance,
  newVapid,
  vapidHeader,
} from '../../plugins/notify/src/kinds/encryption.ts';
import { checkValues, KINDS, render } from '../../plugins/notify/src/kinds/index.ts';
import { suite } from '../runner/suite.ts';
import { readByBrowser } from './browser.ts';
import { alertOf, context, messageOf, opened, valuesOf } from './messages.ts';

const test = suite('web push');
const bytes = (text: string) => Buffer.from(text, 'base64url');

const RFC = {
  text: 'When I grow up, I want to be a watermelon',
  private: 'yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw',
  browser:
    'BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4',
  auth: 'BTBZMqHH6r4Tts7J_aSIgg',
  salt: 'DGv6ra1nlYgDCS1FRnbzlw',
  sent: 'DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A_yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN',
};

test('the example of RFC 8291 comes out byte by byte', () => {
  const subscription = { p256dh: bytes(RFC.browser), auth: bytes(RFC.auth) };
  const chance = { key: bytes(RFC.private), salt: bytes(RFC.salt) };
  const sent = encrypted(Buffer.from(RFC.text), subscription, chance);
  assert.is(sent.toString('base64url'), RFC.sent);
});

const VAPID = {
  claims: { aud: 'https://push.example.net', exp: 1_453_523_768, sub: 'mailto:push@example.com' },
  text: 'eyJ0eXAiOiJKV1QiLCJhbGciOiJFUzI1NiJ9.eyJhdWQiOiJodHRwczovL3B1c2guZXhhbXBsZS5uZXQiLCJleHAiOjE0NTM1MjM3NjgsInN1YiI6Im1haWx0bzpwdXNoQGV4YW1wbGUuY29tIn0',
  signature:
    'i3CYb7t4xfxCDquptFOepC9GAu_HLGkMlMuCGSK2rpiUfnK9ojFwDXb1JrErtmysazNjjvW2L9OkSSHzvoD1oA',
  key: 'BA1Hxzyi1RUM1b5wjxsn7nGxAszw2u61m164i3MrAIxHF6YK5h4SDYic-dRuU_RCPCfA5aq9ojSwk5Y2EmClBPs',
};

/** Checks a token as push services do. */
function isSigned(text: string, signature: string, key: string): boolean {
  const point = bytes(key);
  const [x, y] = [point.toString('base64url', 1, 33), point.toString('base64url', 33)];
  const from = { key: { kty: 'EC', crv: 'P-256', x, y }, format: 'jwk' } as const;
  const how = { key: createPublicKey(from), dsaEncoding: 'ieee-p1363' } as const;
  return verify('sha256', Buffer.from(text), how, bytes(signature));
}

test('the token of RFC 8292 is what we write, and its key proves it', () => {
  assert.ok(isSigned(VAPID.text, VAPID.signature, VAPID.key));
  const own = newVapid();
  const header = vapidHeader(VAPID.claims, own);
  const [, head = '', claims = '', signature = '', key = ''] =
    /^vapid t=([\w-]+)\.([\w-]+)\.([\w-]+), k=([\w-]+)$/.exec(header) ?? [];
  // Signatures differ each time.
  assert.is(`${head}.${claims}`, VAPID.text);
  assert.is(key, own.public_key);
  assert.ok(isSigned(`${head}.${claims}`, signature, key));
  assert.not.ok(isSigned(`${head}.${claims}`, signature, VAPID.key));
});

const kind = KINDS.get('webpush')!;
const request = (message = opened) => {
  const made = kind.request!(valuesOf('webpush'), render(message, { kind, ...context }), context);
  return { ...made, headers: Object.fromEntries(made.headers), body: made.body as Buffer };
};
// In the table of channels the browser has the same key as the server.
const read = (body: Buffer) =>
  JSON.parse(readByBrowser(body, Buffer.alloc(16, 3), Buffer.alloc(32, 7))) as Record<
    string,
    string
  >;

test('a browser reads the message, and the push service knows the server', () => {
  const { url, headers, body } = request();
  assert.is(url, 'https://push.example.net/p/1');
  const shown = read(body);
  assert.is(shown['title'], 'web-1: Disk almost full / at 96 % (> 90 %) since 13:03 (2 min)');
  assert.is(shown['url'], 'https://svc.example.com/#/alerts/12');
  const [, text = '', signature = '', key = ''] =
    /^vapid t=([\w-]+\.[\w-]+)\.([\w-]+), k=([\w-]+)$/.exec(headers['authorization'] ?? '') ?? [];
  assert.ok(isSigned(text, signature, key));
  const claims = JSON.parse(bytes(text.split('.')[1]!).toString());
  assert.is(claims.aud, 'https://push.example.net');
  assert.is(claims.exp, context.now / 1_000 + 43_200);
  assert.match(headers['topic']!, /^[\w-]{1,32}$/);
});

test('long messages are cut to what push services take', () => {
  const summary = '磁盘"'.repeat(300);
  const long = Array.from({ length: 10 }, (_, index) => alertOf({ summary }, `n${index}`));
  const { body } = request(messageOf(long));
  assert.ok(body.length <= 4_096, `${body.length}`);
  assert.ok(read(body)['body']!.length > 100);
  assert.ok(MOST_PAYLOAD + 86 + 17 === 4_096);
});

test('each message has a key and a salt of its own', () => {
  assert.not.equal(newChance(), newChance());
  assert.not.equal(request().body, request().body);
});

test('keys that do not belong together are refused at saving', () => {
  const { endpoint, auth, private_key, ...config } = valuesOf('webpush');
  const check = (change: object) => () =>
    checkValues(kind, { ...config, ...change }, { endpoint, auth, private_key });
  check({})();
  assert.throws(check({ public_key: newVapid().public_key }), /'private_key' does not belong/);
  assert.throws(check({ p256dh: 'AAAA' }), /'p256dh' is no public key/);
  assert.throws(check({ contact: 'me' }), /'contact' is mailto:/);
});

test.run();
