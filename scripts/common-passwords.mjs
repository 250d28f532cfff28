/**
 * Writes plugins/token/src/passwords/common.ts from a list of passwords, the commonest first, as a JSON array.
 * Usage: node scripts/common-passwords.mjs FILE
 * The list in use: src/passwords.json of the npm package @zxcvbn-ts/language-common 4.1.3 (MIT).
 */
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';

const MOST = 10_000;
const SHORTEST = 8;
const list = JSON.parse(readFileSync(process.argv[2], 'utf8')).slice(0, MOST);
const long = [...new Set(list.map((text) => text.toLowerCase()))].filter(
  (text) => [...text].length >= SHORTEST,
);
const digests = long
  .map((text) => createHash('sha256').update(text).digest().subarray(0, 4))
  .sort(Buffer.compare);
const lines = Buffer.concat(digests)
  .toString('base64')
  .match(/.{1,100}/g);
const target = new URL('../plugins/token/src/passwords/common.ts', import.meta.url);
writeFileSync(
  target,
  `// Written by scripts/common-passwords.mjs.

/**
 * Those of the 10,000 commonest passwords that have eight characters or more: the first four bytes of the SHA-256 of each in
 * lower case, sorted, in base64. From the list of @zxcvbn-ts/language-common 4.1.3 (MIT; copyright 2012-2016 Dan Wheeler and
 * Dropbox, Inc., 2021 zxcvbn-ts).
 */
export const COMMON = \`
${lines.join('\n')}
\`;
`,
);
process.stdout.write(`${long.length} passwords\n`);
