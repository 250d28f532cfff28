import type { Kernel } from '@svc/plugin-sdk';
import type { Owners } from '@svc/plugin-token/api';
import type { Notify, Secrets } from './api.ts';
import type { Config } from './config.ts';
import type { Keys } from './keys.ts';
import { withoutSlash } from './page-url.ts';
import { mayDo } from './permissions.ts';
import { seal, unseal } from './secrets.ts';
import type { ChannelStore } from './store/channels.ts';
import type { OutboxStore } from './store/outbox.ts';
import type { StateStore } from './store/state.ts';

export interface ServiceParts {
  readonly kernel: Pick<Kernel<Config>, 'clock' | 'config'>;
  readonly owners: Owners;
  readonly channels: ChannelStore;
  readonly outbox: OutboxStore;
  readonly state: StateStore;
  readonly wake: () => void;
}

/** Service for plugins that have something to tell. */
export const openNotify = (parts: ServiceParts): Notify => ({
  channels: () => parts.channels.list(),
  mayUse: (owner, name) => parts.owners.may(owner, mayDo('use', name)),
  add: (trx, messages) => parts.outbox.add(trx, messages, parts.kernel.clock.now()),
  wake: parts.wake,
  deliveries: (batches) => parts.outbox.deliveries(batches),
  async publicUrl() {
    const url = parts.kernel.config.public_url || (await parts.state.publicUrl());
    return url ? withoutSlash(url) : undefined;
  },
  restored: () => parts.state.dropRestored(),
});

/** Service for plugins that keep secrets. */
export const openSecrets = (keys: Keys, state: StateStore): Secrets => ({
  get problem() {
    return keys.problem;
  },
  async open() {
    await keys.open();
  },
  keep: (exists) => state.keep(exists),
  look: () => keys.look(),
  async demand() {
    await keys.isKnown();
    // Throws where there is none.
    void keys.key;
  },
  seal: (place, values) => seal(keys.key, place, values),
  unseal: (place, sealed) => unseal(keys.key, place, sealed),
});
