import type { Origin } from './http/contract.ts';
import type { Hold, LivesOn, Principal, Requirement } from './principal.ts';

/** Asks the `authenticate` and `authorize` hooks outside of a method call (routes, terminals). */
export interface Auth {
  /** @throws RpcError 101 malformed, 102 bad credential or throttled */
  authenticate(credential: string, origin: Origin): Promise<Principal>;
  allows(caller: Principal, requirement: Requirement): Promise<boolean>;
  /** Holds what goes on after its call: it has to end with `ended`. Subscriptions state `livesOn` and are held by the kernel. */
  hold(caller: Principal, livesOn: LivesOn): Hold;
  /** Announces, for plugins that tap `authorize`, that the rights of callers with this `Principal.id` may have changed; undefined: of any. */
  changed(id?: string): void;
}
