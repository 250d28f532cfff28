/**
 * Calls for what nearly every page shows first, made while the page is being drawn; each answer is given out once, and while
 * it is new.
 */
import type { Client, Methods, Subscription, Subscriptions } from '@svc/client';
import { fleetStream } from './fleet-stream.ts';
import type { Limit } from './limit.ts';
import { wire } from './meta.ts';
import { address } from './router.tsx';

type Listed = Methods['agent-uuid_list']['result'];
type Reports = Subscriptions['agent_subscribe']['item'];

/** Age from which an answer is read again, ms. */
const NEW_MS = 10_000;
/** Longest wait for the list after the rest of the log-in, ms. */
const LIST_MS = 150;

export interface Early {
  /** List of agents. A promise until it has arrived. */
  readonly claimMachines: () => Listed | Promise<Listed> | undefined;
  /** The figures of the fleet, where that is the page. */
  readonly claimFleet: () => Subscription<Reports> | undefined;
}

/**
 * Asks for the list at once where the token `isLister`, as it was last time; for the figures once `follow` knows the token.
 * `listed` waits for the list, for a moment.
 */
export function early(client: Client<Methods, Subscriptions>, isLister: boolean) {
  const begun = Date.now();
  const isNew = () => Date.now() - begun < NEW_MS;
  let machines: ReturnType<Early['claimMachines']>;
  let fleet: Subscription<Reports> | undefined;
  const requestList = (): Promise<void> => {
    const answer = client.call(wire('agent-uuid_list') as 'agent-uuid_list', {});
    machines = answer;
    return answer.then(
      (list) => {
        machines &&= list;
      },
      // The page that claims it gets the failure.
      () => undefined,
    );
  };
  let listing = isLister ? requestList() : undefined;
  return {
    // With the list the first drawing is the whole page; without it each part would be drawn twice.
    listed(mayList: boolean): Promise<unknown> {
      if (mayList) listing ??= requestList();
      return Promise.race([listing, new Promise((done) => setTimeout(done, LIST_MS))]);
    },
    follow({ holds }: Limit): void {
      if (address.value.page !== 'fleet' || !holds(fleetStream.right, 'read')) return;
      fleet = client.subscribe('agent_subscribe', fleetStream.params, fleetStream.options);
      // No page claimed it.
      setTimeout(() => fleet?.close(), NEW_MS);
    },
    claims: {
      claimMachines() {
        const claimed = isNew() ? machines : undefined;
        machines = undefined;
        return claimed;
      },
      claimFleet() {
        const claimed = isNew() ? fleet : undefined;
        if (claimed) fleet = undefined;
        return claimed;
      },
    } satisfies Early,
  };
}
