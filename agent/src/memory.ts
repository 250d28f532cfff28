/**
 * Settings of the engine for a small process that works a few milliseconds a second. They must come before other code: the
 * first import of main.ts.
 *
 * - Optimising compilers cost more memory (their code is in the program's file, too) than they can give back here.
 * - Room for young objects does not grow with what survives.
 */
import { setFlagsFromString } from 'node:v8';

for (const flag of [
  '--no-opt',
  '--no-maglev',
  '--optimize-for-size',
  '--semi-space-growth-factor=1',
]) {
  setFlagsFromString(flag);
}
