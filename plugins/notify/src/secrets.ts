import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';

const CIPHER = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** Values that are no secret and those that are, by their fields. */
export type Values = Readonly<Record<string, unknown>>;

/** Sealed values by their fields: the names of what is set are readable without the key. */
export type Sealed = Readonly<Record<string, string>>;

/** Binds a sealed value to its place: moved into another channel, kind or field it does not open. */
export interface SecretPlace {
  readonly id: number;
  readonly kind: string;
}

const placeText = ({ id, kind }: SecretPlace, field: string) =>
  Buffer.from(JSON.stringify([id, kind, field]));

/** Seals each value with AES-256-GCM: base64 of nonce, tag and ciphertext of its JSON. */
export function seal(key: Buffer, place: SecretPlace, values: Values): Sealed {
  return Object.fromEntries(
    Object.entries(values).map(([field, value]) => {
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv(CIPHER, key, nonce).setAAD(placeText(place, field));
      const content = Buffer.concat([cipher.update(JSON.stringify(value)), cipher.final()]);
      return [field, Buffer.concat([nonce, cipher.getAuthTag(), content]).toString('base64')];
    }),
  );
}

/** Opens what `seal` made. @throws Error for another key or place */
export function unseal(key: Buffer, place: SecretPlace, sealed: Sealed): Values {
  return Object.fromEntries(
    Object.entries(sealed).map(([field, text]) => {
      const bytes = Buffer.from(text, 'base64');
      const decipher = createDecipheriv(CIPHER, key, bytes.subarray(0, NONCE_BYTES))
        .setAAD(placeText(place, field))
        .setAuthTag(bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
      const content = decipher.update(bytes.subarray(NONCE_BYTES + TAG_BYTES));
      return [field, JSON.parse(Buffer.concat([content, decipher.final()]).toString())];
    }),
  );
}
