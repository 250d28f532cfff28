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
    `svc-server needs Node 22.18 or later, this is ${process.versions.node}${advice}.\n`,
  );
  process.exit(1);
}

const serves = process.argv[2] === 'serve';
if (serves) {
  const { beginAnew } = await import('./memory.js');
  beginAnew(process.argv[1], process.argv.slice(2));
  const { useCompiled } = await import('./compiled.js');
  useCompiled();
}

const { main } = await import('#main');
const code = await main(process.argv.slice(2));
if (code !== undefined) process.exit(code);
if (serves) {
  const { keepCompiled } = await import('./compiled.js');
  const { limitGarbage } = await import('./garbage.js');
  // The code is kept in a turn of its own: no call of the start is to blame for what that takes.
  await new Promise(setImmediate);
  keepCompiled();
  limitGarbage();
}
