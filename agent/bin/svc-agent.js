#!/usr/bin/env node
// Older versions of Node reach the sentence below: no import of a file with newer syntax may stand here.
const [major, minor] = process.versions.node.split('.').map(Number);
if (major < 22 || (major === 22 && minor < 18)) {
  process.stderr.write(`svc-agent needs Node 22.18 or later, this is ${process.versions.node}.\n`);
  process.exit(1);
}

await import('#main');
