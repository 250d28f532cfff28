import { readFileSync } from 'node:fs';

/** `X.Y.Z` of this package: clients read it as three integers (clients.md §3.10). */
export const VERSION: string = (
  JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as {
    version: string;
  }
).version;
