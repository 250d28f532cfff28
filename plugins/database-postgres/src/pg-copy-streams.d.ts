declare module 'pg-copy-streams' {
  import type { Readable, Writable } from 'node:stream';
  import type { Submittable } from 'pg';

  /** Sends what is written to it; `finish` comes after the commit. */
  export function from(sql: string): Writable & Submittable;
  /** Reads what a table holds. */
  export function to(sql: string): Readable & Submittable;
}
