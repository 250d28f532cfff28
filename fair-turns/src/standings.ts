import { type Kernel, service } from '@svc/plugin-sdk';
import { equal, type Standing } from './shares.ts';

/** Standings of tokens among each other, as the configuration has them now. */
export interface Standings {
  /** @param share a token key, or whatever else a pool counts by */
  of(share: string): Standing;
}

export const Standings = service<Standings>('standings');

/** Asks the service anew each time; without the plugin every share counts the same. A plugin that uses it lists it as optional. */
export const standingIn =
  (kernel: Pick<Kernel, 'useOptional'>) =>
  (share: string): Standing =>
    kernel.useOptional(Standings)?.of(share) ?? equal();
