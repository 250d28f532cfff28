#!/usr/bin/env node
// Older versions of Node reach the sentence below: no import of a file with newer syntax may stand here.
const [major, minor] = process.versions.node.split('.').map(Number);
if (major < 22 || (major === 22 && minor < 18)) {
  // A clone may have fetched a newer one; what is installed from a package has no scripts.
  const clone = await import('../../scripts/runtime.mjs').catch((error) => {
    if (error.code !== 'ERR_MODULE_NOT_FOUND') throw error;
  });
  const advice =
    (await clone?.goOnFetched()) ?? ': install it, for example from https://nodejs.org';
  process.stderr.write(
    `svc needs Node 22.18 or later, this is ${process.versions.node}${advice}.\n`,
  );
  process.exit(1);
}

const { main } = await import('#main');
// The printed text is flushed before the process ends.
process.exitCode = await main(process.argv.slice(2), process);
process.stdin.unref?.();
// The reader has left: no one would see the rest.
if (process.stdout.errored) process.exit();
