import { readFileSync } from 'node:fs';
import { createSecureContext } from 'node:tls';
import type { Head as KernelHead } from '@svc/kernel';
import { UserError } from '@svc/plugin-sdk';
import type { Head } from './config/head.ts';
import { parseListener } from './config/listener.ts';

/**
 * The head as the kernel takes it: the listener's parts, the contents of the certificate files.
 * @param listen wins over `ws_listener`
 * @throws UserError
 */
export function kernelHead(head: Head, listen = head.ws_listener): KernelHead {
  const { enable_unix_socket, unix_socket_path } = head;
  const address = parseListener(listen);
  if (!address) throw new UserError(`'${listen}' is no address: write IP:port or [IPv6]:port`);
  return {
    ...head,
    listen: address,
    tls: readTls(head),
    unix_socket_path:
      enable_unix_socket && process.platform !== 'win32' ? unix_socket_path : undefined,
  };
}

/** Certificate and key of a head that names both, else undefined. @throws UserError when they cannot be read or do not fit */
export function readTls({ tls_cert, tls_key }: Head): KernelHead['tls'] {
  if (tls_cert === undefined || tls_key === undefined) return undefined;
  try {
    const pair = { cert: readFileSync(tls_cert), key: readFileSync(tls_key) };
    createSecureContext(pair);
    return pair;
  } catch (cause) {
    throw new UserError(`tls_cert, tls_key: ${(cause as Error).message}`, { cause });
  }
}
