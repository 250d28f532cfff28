import { definePlugin } from '@svc/plugin-sdk';
import { migrations } from './migrations/index.ts';

/** Rules about machines, the alerts that they open, and who is told: namespace `alert`. */
export default definePlugin({
  name: 'alert',
  namespaces: ['alert'],
  migrations,
  setup() {},
});
