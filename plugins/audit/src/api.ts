import { type Principal, service } from '@svc/plugin-sdk';
import type { Origin } from '@svc/plugin-sdk/http';

/** Something that happened outside of the methods: they name themselves by `audit` in their definition. */
export interface AuditEvent {
  /** A word or two that stand for a method: `terminal`, `webdav PUT`. */
  readonly method: string;
  /** Target: a key, a UUID, a path; never a secret. */
  readonly target?: string | undefined;
  /** Caller; undefined: the server itself, or its operator on the command line. */
  readonly caller?: Principal | undefined;
  /** Origin; undefined: this machine. */
  readonly origin?: Pick<Origin, 'address' | 'transport'> | undefined;
  /** Code of the error or status of the refusal; undefined: it was done. */
  readonly error?: number | undefined;
}

/** Record of changes. Use it as an optional service: a server may run without one. */
export interface Audit {
  /** Queues an event. Never throws. */
  record(event: AuditEvent): void;
  /** Records a wrong credential. `name`: the key or user name where one exists; anything else may be a mistyped secret. */
  refused(name: string | undefined, origin: Pick<Origin, 'address' | 'transport'>): void;
  /** Records that the database was restored from a copy: later rows of this server are not reported as missing. `target`: the copy. */
  restored(target: string): Promise<void>;
}

export const Audit = service<Audit>('audit');
