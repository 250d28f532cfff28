import { definePlugin } from '@svc/plugin-sdk';
import { migrations } from './migrations/index.ts';

/** Channels to people, and the outbox of what is sent to them: namespace `channel`. */
export default definePlugin({
  name: 'notify',
  namespaces: ['channel'],
  migrations,
  guards: { channel: 'secret', notify_outbox: 'secret', notify_state: 'fixed' },
  setup() {},
});
