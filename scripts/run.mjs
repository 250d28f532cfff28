/** `node scripts/run.mjs NAME [arguments…]`: `scripts/NAME.mjs` under a supported Node. */
import { runScript } from './runtime.mjs';

await runScript(`${process.argv.splice(2, 1)[0]}.mjs`);
