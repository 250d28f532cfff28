/** What nearly every page shows first, asked for while it is being drawn: given once, and while it is new. */
import type { Client, Methods, Subscription, Subscriptions } from '@svc/client';
import { fleetStream } from './fleet-stream.ts';
import type { Limit } from './limit.ts';
import { wire } from './meta.ts';
import { address } from './router.tsx';

type Listed = Methods['agent-uuid_list']['result'];
type Reports = Subscriptions['agent_subscribe']['item'];

/** What is older is asked for anew, ms. */
const NEW_MS = 10_000;
/** The list may come so much later than the rest of the log-in, ms. */
const LIST_MS = 150;

export interface Early {
  /** The list of agents. A promise while it is on its way. */
  readonly takeMachines: () => Listed | Promise<Listed> | undefined;
  /** The figures of the fleet, where that is the page. */
  readonly takeFleet: () => Subscription<Reports> | undefined;
}

/**
 * Asks for the list at once where the token `isLister`, as it was last time; for the figures once `follow` knows the token.
 * `listed` waits for the list, for a moment.
 */
export function early(client: Client<Methods, Subscriptions>, isLister: boolean) {
  const begun = Date.now();
  const isNew = () => Date.now() - begun < NEW_MS;
  let machines: ReturnType<Early['takeMachines']>;
  let fleet: Subscription<Reports> | undefined;
  const ask = (): Promise<void> => {
    const asked = client.call(wire('agent-uuid_list') as 'agent-uuid_list', {});
    machines = asked;
    return asked.then(
      (list) => {
        machines &&= list;
      },
      // The page that takes it is told of a failure.
      () => undefined,
    );
  };
  let kept = isLister ? ask() : undefined;
  return {
    // With the list the first drawing is the whole page; without it each part would be drawn twice.
    listed(mayList: boolean): Promise<unknown> {
      if (mayList) kept ??= ask();
      return Promise.race([kept, new Promise((done) => setTimeout(done, LIST_MS))]);
    },
    follow({ holds }: Limit): void {
      if (address.value.page !== 'fleet' || !holds(fleetStream.right, 'read')) return;
      fleet = client.subscribe('agent_subscribe', fleetStream.params, fleetStream.options);
      // Nobody came for it.
      setTimeout(() => fleet?.close(), NEW_MS);
    },
    taken: {
      takeMachines() {
        const taken = isNew() ? machines : undefined;
        machines = undefined;
        return taken;
      },
      takeFleet() {
        const taken = isNew() ? fleet : undefined;
        if (taken) fleet = undefined;
        return taken;
      },
    } satisfies Early,
  };
}
