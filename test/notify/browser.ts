import { createDecipheriv, createECDH, hkdfSync } from 'node:crypto';
import * as assert from 'uvu/assert';

/** Text that the browser with this private key reads. */
export function readByBrowser(body: Buffer, auth: Buffer, own: Buffer): string {
  const pair = createECDH('prime256v1');
  pair.setPrivateKey(own);
  const sender = body.subarray(21, 86);
  const info = Buffer.concat([Buffer.from('WebPush: info\0'), pair.getPublicKey(), sender]);
  const material = Buffer.from(hkdfSync('sha256', pair.computeSecret(sender), auth, info, 32));
  const salt = body.subarray(0, 16);
  const derived = (name: string, size: number) =>
    Buffer.from(hkdfSync('sha256', material, salt, `Content-Encoding: ${name}\0`, size));
  const opener = createDecipheriv('aes-128-gcm', derived('aes128gcm', 16), derived('nonce', 12));
  opener.setAuthTag(body.subarray(-16));
  const text = Buffer.concat([opener.update(body.subarray(86, -16)), opener.final()]);
  assert.is(text.at(-1), 2);
  return text.toString('utf8', 0, text.length - 1);
}
