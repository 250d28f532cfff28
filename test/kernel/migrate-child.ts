// One of several programs that migrate the same database at once: `migrate-child.ts URL STEPS`.
import { migrate } from '../../kernel/src/db/migrate.ts';
import { memoryLog, openAt } from './database-kit.ts';

const [, , url = '', steps = '1'] = process.argv;
const log = memoryLog();
const db = await openAt(url, {}, log);
try {
  await migrate(
    db,
    Array.from({ length: Number(steps) }, (_, at) => ({
      plugin: 'race',
      migration: {
        name: `000${at + 1}-create`,
        up: (trx) => trx.schema.createTable(`race_${at}`, (table) => table.integer('id').primary()),
      },
    })),
    log,
  );
} finally {
  await db.close();
}
const applied = log.lines.filter((line) => line.message === 'A migration was applied.').length;
process.stdout.write(`applied ${applied}\n`);
