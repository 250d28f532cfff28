import {
  createCipheriv,
  createECDH,
  createHmac,
  createPrivateKey,
  randomBytes,
  sign,
} from 'node:crypto';

const CURVE = 'prime256v1';
const RECORD_SIZE = 4_096;
/** A record less the tag of 16 bytes, the delimiter, and the header of 86 bytes, which push services count. */
export const MOST_PAYLOAD = RECORD_SIZE - 16 - 1 - 86;

export interface Subscription {
  /** Public key of the browser, 65 bytes, and the secret that it shares. */
  readonly p256dh: Buffer;
  readonly auth: Buffer;
}

/** Random parts of an encrypted message. */
export interface Chance {
  /** Private key for this message alone. */
  readonly key: Buffer;
  readonly salt: Buffer;
}

const hmac = (key: Buffer, ...parts: readonly (Buffer | string)[]): Buffer => {
  const made = createHmac('sha256', key);
  for (const part of parts) made.update(part);
  return made.digest();
};

export function newChance(): Chance {
  const pair = createECDH(CURVE);
  pair.generateKeys();
  return { key: pair.getPrivateKey(), salt: randomBytes(16) };
}

/** Encrypts a message for a browser (RFC 8291, content encoding `aes128gcm` of RFC 8188, one record). */
export function encrypted(text: Buffer, { p256dh, auth }: Subscription, chance: Chance): Buffer {
  const pair = createECDH(CURVE);
  pair.setPrivateKey(chance.key);
  const own = pair.getPublicKey();
  const shared = hmac(auth, pair.computeSecret(p256dh));
  const material = hmac(shared, 'WebPush: info\0', p256dh, own, '\x01');
  const base = hmac(chance.salt, material);
  const key = hmac(base, 'Content-Encoding: aes128gcm\0\x01').subarray(0, 16);
  const nonce = hmac(base, 'Content-Encoding: nonce\0\x01').subarray(0, 12);
  const cipher = createCipheriv('aes-128-gcm', key, nonce);
  // 2 ends the last record.
  const sealed = Buffer.concat([cipher.update(text), cipher.update('\x02'), cipher.final()]);
  const size = Buffer.alloc(5);
  size.writeUInt32BE(RECORD_SIZE);
  size.writeUInt8(own.length, 4);
  return Buffer.concat([chance.salt, size, own, sealed, cipher.getAuthTag()]);
}

/** Key pair of this server, both parts base64url. */
export interface Vapid {
  readonly public_key: string;
  readonly private_key: string;
}

/** Makes the key pair by which push services know a server. */
export function newVapid(): Vapid {
  const pair = createECDH(CURVE);
  pair.generateKeys();
  // A short number would come without its leading zeros.
  const number = Buffer.concat([Buffer.alloc(32), pair.getPrivateKey()]).subarray(-32);
  return {
    public_key: pair.getPublicKey('base64url'),
    private_key: number.toString('base64url'),
  };
}

export interface Claims {
  /** Origin of the push service. */
  readonly aud: string;
  /** Unix seconds. */
  readonly exp: number;
  /** `mailto:` or `https:` address of whoever runs the server. */
  readonly sub: string;
}

/** Value of the header `Authorization` by which the server names itself (RFC 8292). */
export function vapidHeader(claims: Claims, { public_key, private_key }: Vapid): string {
  const point = Buffer.from(public_key, 'base64url');
  const [x, y] = [point.toString('base64url', 1, 33), point.toString('base64url', 33)] as const;
  const key = createPrivateKey({
    key: { kty: 'EC', crv: 'P-256', x, y, d: private_key },
    format: 'jwk',
  });
  const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const text = `${encode({ typ: 'JWT', alg: 'ES256' })}.${encode(claims)}`;
  const signature = sign('sha256', Buffer.from(text), { key, dsaEncoding: 'ieee-p1363' });
  return `vapid t=${text}.${signature.toString('base64url')}, k=${public_key}`;
}
