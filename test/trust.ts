import tls from 'node:tls';

/** Part of `node:tls` since Node 22.19 and 24.5. */
interface Trusting {
  setDefaultCACertificates(certificates: readonly string[]): void;
}

/** Sets the authorities that this process trusts, PEM. */
export const { setDefaultCACertificates: trust } = tls as unknown as Trusting;
