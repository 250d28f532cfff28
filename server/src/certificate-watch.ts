import { unwatchFile, watchFile } from 'node:fs';
import type { App } from '@svc/kernel';
import type { Logger } from '@svc/plugin-sdk';
import type { Head } from './config/head.ts';
import { readTls } from './kernel-head.ts';

const PERIOD_MS = 10_000;

/**
 * Looks every 10 s whether the certificate was renewed: new connections then get it without a reload.
 * @returns ends it
 */
export function watchCertificate(head: Head, app: App, log: Logger): () => void {
  const { tls_cert, tls_key } = head;
  if (tls_cert === undefined || tls_key === undefined) return () => {};
  const renew = () => {
    try {
      const tls = readTls(head);
      if (tls) app.renewCertificate(tls);
      log.info('TLS certificate renewed');
    } catch (error) {
      log.warn('TLS certificate could not be read again, the old one stays', { error });
    }
  };
  watchFile(tls_cert, { interval: PERIOD_MS, persistent: false }, renew);
  return () => unwatchFile(tls_cert, renew);
}
