import { unwatchFile, watchFile } from 'node:fs';
import type { App } from '@svc/kernel';
import type { Logger } from '@svc/plugin-sdk';
import type { Head } from './config/head.ts';
import { readTls } from './kernel-head.ts';

const PERIOD_MS = 10_000;

/** Looks every 10 s whether the certificate was renewed: new connections then get it without a reload. */
export class CertificateWatch {
  readonly #log: Logger;
  #stop = (): void => {};

  constructor(log: Logger) {
    this.#log = log;
  }

  /** Follows this head's files instead of the former ones. */
  watch(head: Head, app: App): void {
    this.#stop();
    const { tls_cert, tls_key } = head;
    if (tls_cert === undefined || tls_key === undefined) return;
    const renew = () => {
      try {
        const tls = readTls(head);
        if (tls) app.renewCertificate(tls);
        this.#log.info('TLS certificate renewed');
      } catch (error) {
        this.#log.warn('TLS certificate could not be read again, the old one stays', { error });
      }
    };
    watchFile(tls_cert, { interval: PERIOD_MS, persistent: false }, renew);
    this.#stop = () => unwatchFile(tls_cert, renew);
  }

  close(): void {
    this.#stop();
  }
}
