import type { Example } from '@svc/plugin-sdk';
export const examples: readonly Example[] = [];
