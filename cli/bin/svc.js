#!/usr/bin/env node
// Older versions of Node reach the sentence below: no import of a file with newer syntax may stand here.
const [major, minor] = process.versions.node.split('.').map(Number);
if (major < 22 || (major === 22 && minor < 18)) {
  process.stderr.write(`svc needs Node 22.18 or later, this is ${process.versions.node}.\n`);
  process.exit(1);
}

const { main } = await import('#main');
// What was printed leaves before the process does.
process.exitCode = await main(process.argv.slice(2), process);
process.stdin.unref?.();
