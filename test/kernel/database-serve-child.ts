// A server of its own on a database: `database-serve-child.ts URL`. Says `open` or why not, then waits to be killed.
import { serveAt } from './database-kit.ts';

const [, , database_url = ''] = process.argv;
try {
  await serveAt(database_url);
  process.stdout.write('open\n');
} catch (error) {
  process.stdout.write(`${(error as Error).name}: ${(error as Error).message}\n`);
  process.exit(1);
}
