// Runs before the tests, under any Node: an older one only says that it does not know the file extension ".ts".
import { existsSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';

const [major, minor] = process.versions.node.split('.').map(Number);
if (major < 22 || (major === 22 && minor < 18)) {
  const { devDependencies } = JSON.parse(readFileSync('package.json', 'utf8'));
  // A clone of svc fetches a newer Node for itself; what is installed from a package has no scripts.
  const sdk = devDependencies?.['@svc/plugin-sdk'] ?? '';
  const script = resolve(sdk.replace(/^file:/, ''), '../scripts/run.mjs');
  const advice = existsSync(script)
    ? `. The clone of svc has one; type this, then npm test again:\n  export PATH="$(node '${script}' where | tail -n 1):$PATH"`
    : ': install it, for example from https://nodejs.org.';
  console.error(
    `sample-plugin needs Node 22.18 or later, this is ${process.versions.node}${advice}`,
  );
  process.exit(1);
}
