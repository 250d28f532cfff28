/** `npm run build` */
import { compile } from './prepare.mjs';

try {
  await compile();
} catch (error) {
  process.stdout.write(`${error.message}\n`);
  process.exit(1);
}
