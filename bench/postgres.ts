import { startPostgres, type TestPostgres } from '../test/postgres.ts';

let running: TestPostgres | undefined;

/** Starts a Postgres that syncs to disk as a real one does, once. */
export async function ensurePostgres(): Promise<void> {
  if (running) return;
  running = await startPostgres({ fsync: true });
  process.env['SVC_TEST_POSTGRES_URL'] = running.url('postgres');
}

export async function stopPostgres(): Promise<void> {
  await running?.stop();
  running = undefined;
}
