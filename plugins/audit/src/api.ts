import { type Origin, type Principal, service } from '@svc/plugin-sdk';

/** Something that happened outside of the methods: they name themselves by `audit` in their definition. */
export interface AuditEvent {
  /** A word or two that stand for a method: `terminal`, `webdav PUT`. */
  readonly method: string;
  /** What it was done to: a key, a UUID, a path; never a secret. */
  readonly target?: string | undefined;
  /** undefined: the server itself, or its operator on the command line. */
  readonly caller?: Principal | undefined;
  /** Where it came from; undefined: this machine. */
  readonly origin?: Pick<Origin, 'address' | 'transport'> | undefined;
  /** Code of the error or status of the refusal; undefined: it was done. */
  readonly error?: number | undefined;
}

/** The record of changes. Use it as an optional service: a server may run without one. */
export interface Audit {
  /** Takes no longer than to put the event in a queue. Never throws. */
  record(event: AuditEvent): void;
  /** A credential was wrong. `name`: the key or user name where one exists; anything else may be a mistyped secret. */
  refused(name: string | undefined, origin: Pick<Origin, 'address' | 'transport'>): void;
  /** The database was filled from a copy: rows that this server wrote after it are not missed. `target`: which copy. */
  restored(target: string): Promise<void>;
}

export const Audit = service<Audit>('audit');
