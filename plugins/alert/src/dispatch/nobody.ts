import type { Notify } from '@svc/plugin-notify/api';

/** Nobody is told: the plugin of channels is off. */
export const NOBODY: Notify = {
  channels: async () => [],
  mayUse: async () => false,
  add: async () => undefined,
  wake: () => undefined,
  deliveries: async () => [],
  publicUrl: async () => undefined,
  restored: async () => 0,
};
