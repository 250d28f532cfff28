import type { Audit } from '@svc/plugin-audit/api';
import type { Auth, Clock, Logger } from '@svc/plugin-sdk';
import type { FileServer, StaticBuckets } from '@svc/plugin-static-bucket/api';
import type { Tokens } from '@svc/plugin-token/api';
import type { UserContent } from '@svc/plugin-user-content/api';
import type { Addresses } from './addresses.ts';
import type { LockStore } from './store-locks.ts';
import type { PropertyStore } from './store-properties.ts';
import type { Turns } from './turns.ts';
import type { Uploads } from './uploads.ts';

/** The services and stores that every request uses. */
export interface Parts {
  readonly addresses: Addresses;
  readonly audit: Audit | undefined;
  readonly auth: Auth;
  readonly buckets: StaticBuckets;
  readonly clock: Clock;
  readonly content: UserContent;
  readonly locks: LockStore;
  readonly log: Logger;
  readonly properties: PropertyStore;
  readonly realm: string;
  readonly server: FileServer;
  /** Longest time in which a client takes or sends nothing. */
  readonly stall_ms: () => number;
  readonly tokens: Tokens;
  /** Exclusion by real path, for checking a file and then replacing it. */
  readonly turns: Turns;
  readonly uploads: Uploads;
}
