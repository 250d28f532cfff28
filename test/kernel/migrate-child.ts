// One of several programs that migrate the same database at once: `migrate-child.ts URL STEPS [hang]`.
import { migrate } from '../../kernel/src/db/migrate.ts';
import { memoryLog, openAt } from './database-kit.ts';
import { raceSteps } from './migrate-steps.ts';

const [, , url = '', steps = '1', last = ''] = process.argv;
const log = memoryLog();
const db = await openAt(url, {}, log);
const hang = async () => {
  process.stdout.write('inside\n');
  // Holds the process and the transaction until it is killed.
  await new Promise((resolve) => setTimeout(resolve, 600_000));
};
try {
  await migrate(db, raceSteps(Number(steps), last === 'hang' ? hang : undefined), log);
} finally {
  await db.close();
}
const applied = log.lines.filter((line) => line.message === 'A migration was applied.').length;
process.stdout.write(`applied ${applied}\n`);
