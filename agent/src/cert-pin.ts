import { createHash } from 'node:crypto';
import type { Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';

/** `sha256//` and 44 characters of base64, as curl takes it. */
export const isPin = (text: string): boolean => /^sha256\/\/[A-Za-z0-9+/]{43}=$/.test(text);

/** Tells whether the peer holds the key with this digest; a connection without TLS has none. */
export function hasPin(socket: Socket, pin: string): boolean {
  const { getPeerX509Certificate: certificate } = socket as Partial<TLSSocket>;
  const key = certificate
    ?.call(socket as TLSSocket)
    ?.publicKey.export({ type: 'spki', format: 'der' });
  if (!key) return false;
  return `sha256//${createHash('sha256').update(key).digest('base64')}` === pin;
}
