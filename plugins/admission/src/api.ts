import { Shares as FairShares, Turns as FairTurns, type Wait } from '@svc/fair-turns';
import { service } from '@svc/plugin-sdk';

/** `unix`: the Unix socket; `internal`: calls of the server itself; `private`: networks that have no public addresses. */
export type AddressClass = 'loopback' | 'private' | 'public' | 'unix' | 'internal';

/** Number of refusals of one kind since the start. */
export interface RefusalCount {
  readonly reason: string;
  readonly address_class: AddressClass;
  readonly count: number;
}

/** Counts what the server refuses, and logs attacks: one line a minute for each reason and address. */
export interface Refusals {
  /**
   * Takes no longer than a lookup in a map: call it for every refusal.
   * @param reason one of a few fixed texts, in words that an operator reads: `wrong credential`
   * @param address of the sender, empty for calls of the server itself
   * @returns true for the first of this reason and address in a while: a record with more detail is worth its place
   */
  refused(reason: string, address: string): boolean;
  /** Returns the counts in the order of the first refusal of each kind. */
  counts(): readonly RefusalCount[];
}

export const Refusals = service<Refusals>('refusals');

/** @deprecated until 0.12: import from `@svc/fair-turns` */
export {
  type ShareRules,
  type Standing,
  Standings,
  standingIn,
  type Wait,
} from '@svc/fair-turns';

/** @deprecated until 0.12: `Shares` of `@svc/fair-turns`, whose methods are named by what they do */
export class Shares extends FairShares {
  mayTake(share: string): boolean {
    return this.hasPlace(share);
  }
  take(share: string): boolean {
    return this.acquire(share);
  }
  give(share: string): void {
    this.release(share);
  }
}

/** @deprecated until 0.12: `Turns` of `@svc/fair-turns`, whose method is `acquire` */
export class Turns extends FairTurns {
  take(share: string, wait: Wait): Promise<() => void> {
    return this.acquire(share, wait);
  }
}
export { countedAs } from './connections/address.ts';
