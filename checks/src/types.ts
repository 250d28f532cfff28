import type { Value } from '@svc/conditions';
import type { RecordType } from './records.ts';

export type Header = readonly [name: string, value: string];

export interface HttpSpec {
  readonly kind: 'http';
  /** `http:` or `https:`; a user and password in it are sent as basic authentication. */
  readonly url: string;
  readonly method: string;
  readonly headers: readonly Header[];
  readonly body?: string;
  readonly auth?:
    | { readonly type: 'basic'; readonly user: string; readonly password: string }
    | { readonly type: 'bearer'; readonly token: string };
  /** Most redirects, 0 to 5. With 0 the redirect itself is the answer. */
  readonly follow: number;
  readonly family?: 4 | 6;
  /** Tells whether a certificate that is not valid is only reported. */
  readonly ignore_tls: boolean;
  /** Bytes of the body that are read, at most 65,536. */
  readonly max_bytes: number;
}

export interface TcpSpec {
  readonly kind: 'tcp';
  readonly host: string;
  readonly port: number;
  readonly tls: boolean;
  /** Tells whether a certificate that is not valid is only reported. */
  readonly ignore_tls?: boolean;
  /** Text to send when the connection is open. */
  readonly send?: string;
  /** Text that the answer has to contain. */
  readonly expect?: string;
}

export interface PingSpec {
  readonly kind: 'ping';
  readonly host: string;
  /** Echoes, 1 to 10. */
  readonly count: number;
}

export interface DnsSpec {
  readonly kind: 'dns';
  /** Name, or for `PTR` an address. */
  readonly name: string;
  readonly type: Uppercase<RecordType>;
  /** Name server as host or `host:port`; absent: those of the place. */
  readonly server?: string;
}

export type StartTls = 'smtp' | 'imap' | 'pop3' | 'ftp';

export interface TlsSpec {
  readonly kind: 'tls';
  readonly host: string;
  readonly port: number;
  /** Name to ask for and to look for in the certificate; absent: the host. */
  readonly servername?: string;
  /** Protocol that begins without TLS. */
  readonly starttls?: StartTls;
}

export interface DomainSpec {
  readonly kind: 'domain';
  /** Registered name in ASCII, such as `example.net`. */
  readonly name: string;
}

export type CheckSpec = HttpSpec | TcpSpec | PingSpec | DnsSpec | TlsSpec | DomainSpec;
export type CheckKind = CheckSpec['kind'];

/** Certificate of a chain; times are Unix ms. */
export interface Certificate {
  readonly subject: string;
  readonly issuer: string;
  readonly not_before: number;
  readonly not_after: number;
  /** SHA-256, hexadecimal pairs with colons. */
  readonly fingerprint: string;
}

/** Certificates of a peer, its own first, as they were served and up to an authority that is trusted; whether they are good for the host. */
export interface Inspection {
  readonly valid: boolean;
  /** Reason why they are not valid, such as `expired 2 days ago`. */
  readonly reason: string | null;
  readonly protocol: string | null;
  readonly names: readonly string[];
  readonly chain: readonly Certificate[];
  /** Issuers whose certificates should have been served but were not. */
  readonly missing: readonly string[];
}

/** Result of one check. */
export interface Outcome {
  /** Variables for a condition by name; those of the certificate are members of `tls`. What was not measured is absent. */
  readonly values: Readonly<Record<string, Value>>;
  /** Milliseconds of the whole check, look-up of the name and redirects included; of `ping` the mean of the echoes. */
  readonly ms: number | null;
  /** Status of the HTTP answer. */
  readonly code: number | null;
  /** Reason why nothing, or not all, was measured: the check has failed, whatever its condition says. */
  readonly error?: string;
  /**
   * Tells what came from the target by the deadline, where it was no answer: `nothing`, or `unclear`: a part of an answer
   * or an address that may not be reached. A refusal is an answer, and so is that of a name server which knows no such name.
   */
  readonly heard?: 'nothing' | 'unclear';
  /** True: who was asked about the target did not answer, or this machine is short of something, so that nothing can be said about it. */
  readonly isUnknown?: boolean;
  /** True: this process stood still meanwhile; what was measured is no property of the target. */
  readonly wasPaused?: boolean;
  /** Few words about what was measured, for the sentence about a condition that does not hold. */
  readonly summary?: string;
  readonly certificate?: Inspection;
  /** First 300 characters of the answer. */
  readonly sample?: string;
}

/** Time. The clock of a plugin's kernel is one. */
export interface Clock {
  /** Unix milliseconds. */
  now(): number;
  /** Milliseconds for durations. */
  monotonic(): number;
  /** @returns cancels it */
  timeout(callback: () => void, delay_ms: number): () => void;
}
