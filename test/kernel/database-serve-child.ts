// A server of its own on a database: `database-serve-child.ts URL`. Says `open` or why not, then waits to be killed.
import { openDatabase } from '../../kernel/src/db/open.ts';
import { defaults, memoryLog } from './database-kit.ts';

const [, , database_url = ''] = process.argv;
try {
  await openDatabase({ config: { ...defaults, database_url }, log: memoryLog(), mode: 'serve' });
  process.stdout.write('open\n');
} catch (error) {
  process.stdout.write(`${(error as Error).name}: ${(error as Error).message}\n`);
  process.exit(1);
}
