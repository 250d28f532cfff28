/** Long loops: `npm run proof` runs them in full, `npm test` a short form of each. */

/** True under `npm run proof`. A file takes part in it when it has a comment line `// proof: SECONDS`, and in nothing else
 * with `// proof only: SECONDS`. */
export const isProof = process.env['SVC_TEST_PROOF'] === '1';

/** What a loop uses: `long` under `npm run proof`, else `short`. */
export const loop = <T>(short: T, long: T): T => (isProof ? long : short);

/**
 * The databases of suites that hardly touch theirs (scripts, files, terminals): SQLite in `npm test`, Postgres under
 * `npm run proof`. Suites about what is stored run on both in `npm test`.
 */
export const oneDialect: readonly ('sqlite' | 'postgres')[] = loop(['sqlite'], ['postgres']);
