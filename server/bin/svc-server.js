#!/usr/bin/env node
// Older versions of Node reach the sentence below: no import of a file with newer syntax may stand here.
import { setFlagsFromString } from 'node:v8';

const [major, minor] = process.versions.node.split('.').map(Number);
if (major < 22 || (major === 22 && minor < 18)) {
  process.stderr.write(`svc-server needs Node 22.18 or later, this is ${process.versions.node}.\n`);
  process.exit(1);
}

if (process.argv[2] === 'serve') {
  const { beginAnew, collectLeftOver } = await import('./memory.js');
  beginAnew(process.argv[1], process.argv.slice(2));
  collectLeftOver();
}

// By itself V8 lets garbage grow to several times of what lives; with less than this it marks all the time while long answers leave.
setFlagsFromString('--heap-growing-percent=60');

// V8 would make objects of kinds that live long at once in the old generation. Here that is where calls that wait for the database
// end up, and what they hold then outlives them: three times as much had to be collected.
setFlagsFromString('--no-allocation-site-pretenuring');

const { main } = await import('#main');
const code = await main(process.argv.slice(2));
if (code !== undefined) process.exit(code);
