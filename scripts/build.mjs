/** `npm run build` */
import { compile, install } from './prepare.mjs';

try {
  install();
  await compile();
} catch (error) {
  process.stdout.write(`${error.message}\n`);
  process.exit(1);
}
