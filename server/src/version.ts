import { createRequire } from 'node:module';

/** `X.Y.Z` of this package: clients read it as three integers (clients.md §3.10). */
export const VERSION: string = createRequire(import.meta.url)('../package.json').version;
