// Runs on a small file system of its own, below TMPDIR (disk-full.test.ts). The last line says what happened.
import { closeSync, openSync, rmSync, statSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bootForTest } from '@svc/plugin-sdk/testing';

const config = { database: { sqlite_reserve_mb: 12 } };
const app = await bootForTest(undefined, config, { dialect: 'sqlite' });
const ballast = join(tmpdir(), 'ballast');
const outcome = (method: string, ...rest: unknown[]) =>
  app.call(method, [app.superToken, ...rest]).catch((error) => [error.code, error.data]);

/** Takes every byte that is left. */
function fillDisk(): void {
  const file = openSync(ballast, 'a');
  for (let size = 2 ** 20; size >= 1; ) {
    try {
      writeSync(file, Buffer.alloc(size, 1));
    } catch {
      // No room for this many.
      size = Math.floor(size / 2);
    }
  }
  closeSync(file);
}

/** The size of the reserve as soon as it is whole. */
async function reserve(): Promise<number> {
  const [{ file }] = (await app.sql('pragma database_list')) as { file: string }[] as [
    { file: string },
  ];
  const size = () => statSync(`${file}.reserve`, { throwIfNoEntry: false })?.size ?? 0;
  for (const end = Date.now() + 30_000; size() < 12 * 2 ** 20 && Date.now() < end; )
    await new Promise((resolve) => setTimeout(resolve, 50));
  return size();
}

const said: Record<string, unknown> = { reserve: await reserve() };
for (const space of ['shop', 'stock']) await outcome('kv_create', space);
for (let key = 0; key < 200; key++)
  await outcome('kv_set_value', key < 100 ? 'shop' : 'stock', `key${key}`, 'x'.repeat(5_000));
fillDisk();
said['deletedFirst'] = await outcome('kv_delete_key', 'shop', 'key1');
fillDisk();
said['refused'] = await outcome('kv_set_value', 'shop', 'new', 'x'.repeat(100_000));
said['deletedAgain'] = await outcome('kv_delete_key', 'shop', 'key2');
const sql = "delete from kv where namespace = 'shop' and key = 'key3'";
said['deletedBySql'] = (await outcome('svc-server_exec_sql', sql)).row_count;
said['deletedAll'] = await outcome('kv_delete_namespace', 'stock');
await app.restart();
said['deletedAfterRestart'] = await outcome('kv_delete_key', 'shop', 'key4');
rmSync(ballast);
said['storedWithRoom'] = await outcome('kv_set_value', 'shop', 'new', 'x'.repeat(100_000));
await app.restart();
said['reserveAgain'] = await reserve();
await app.stop();
process.stdout.write(`${JSON.stringify(said)}\n`);
