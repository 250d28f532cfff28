/** `node scripts/run.mjs where`: prints the folder of the Node that the project's commands run under. */
import { dirname } from 'node:path';

process.stdout.write(`${dirname(process.execPath)}\n`);
