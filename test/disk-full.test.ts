// A full disk: what callers and the log are told, and what still works (plugins/database-sqlite/README.md).
// proof only: 60
import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bootForTest, type TestApp } from '@svc/plugin-sdk/testing';
import * as assert from 'uvu/assert';
import { failure, summaryReport } from './protocol/agent-kit.ts';
import { suite } from './runner/suite.ts';

/** Makes every later write that adds rows fail as on a full disk. */
const fillUp: Record<'sqlite' | 'postgres', (app: TestApp) => Promise<unknown>> = {
  // The engine's own limit of pages, for the writing connection.
  sqlite: ({ kernel }) =>
    (kernel as { db: { query: { raw(sql: string): Promise<unknown> } } }).db.query.raw(
      'pragma max_page_count = 1',
    ),
  async postgres(app) {
    const text = 'could not extend file "base/1/2": No space left on device';
    await app.sql(
      `create function full_disk() returns trigger language plpgsql as $$ begin raise exception '${text}' using errcode = '53100'; end $$`,
    );
    for (const table of ['kv', 'dynamic_monitoring_summary'])
      await app.sql(
        `create trigger full_disk before insert on ${table} for each row execute function full_disk()`,
      );
  },
};

for (const dialect of ['sqlite', 'postgres'] as const) {
  const test = suite<Record<string, never>>(`a full disk (${dialect})`);
  let app: TestApp;

  test.before(async () => {
    app = await bootForTest(
      ['token', 'kv', 'agent-uuid', 'agent', 'server-info'],
      {},
      { dialect, clock: true },
    );
    await app.call('kv_create', [app.superToken, 'shop']);
    for (const key of ['a', 'b', 'c'])
      await app.call('kv_set_value', [app.superToken, 'shop', key, key]);
    await fillUp[dialect](app);
  });
  test.after(() => app?.stop());

  const big = 'x'.repeat(200_000);
  const refused = (key: string) =>
    failure(app.call('kv_set_value', [app.superToken, 'shop', key, big]));
  const alarms = () =>
    app.records().filter(({ level }: { level: string }) => level === 'ERROR') as {
      message: string;
      fields: Record<string, unknown>;
    }[];

  test('the caller is told the reason', async () => {
    const { code, data } = await refused('big');
    assert.equal([code, data], [103, 'the disk is full']);
  });

  test('the log has one alarm a minute, however many calls fail, and no stack', async () => {
    for (let call = 0; call < 20; call++) await refused(`big${call}`);
    assert.is(alarms().length, 1);
    assert.match(alarms()[0]!.message, /disk of the database is full/);
    await app.clock.advance(61_000);
    await refused('later');
    assert.is(alarms().length, 2);
    assert.ok(Number(alarms()[1]!.fields['failed_writes']) >= 20);
    assert.not.match(JSON.stringify(alarms()), /at .*\.ts:\d/);
  });

  test('deletes go on', async () => {
    assert.equal(await app.call('kv_delete_key', [app.superToken, 'shop', 'a']), { success: true });
    const keys = await app.call('kv_get_all_keys', [app.superToken, 'shop']);
    assert.equal(
      keys.filter((key: string) => key.length === 1),
      ['b', 'c'],
    );
  });

  test('a report is refused at once, with the reason', async () => {
    const since = performance.now();
    const report = () =>
      app.call('agent_report_dynamic_summary', [app.superToken, summaryReport()]);
    let refusal: { code?: number; data?: unknown } | undefined;
    // The last page of the table takes some more.
    for (let count = 0; !refusal && count < 1_000; count++) {
      await report().catch((error) => {
        refusal = error;
      });
    }
    assert.equal([refusal?.code, refusal?.data], [103, 'the disk is full']);
    assert.ok(performance.now() - since < 20_000);
    assert.is(alarms().length, 2);
  });

  test.run();
}

/** undefined: a file system of its own can be mounted here without rights. */
function reasonToSkip(): string | undefined {
  const script = 'mount -t tmpfs -o size=1m tmpfs /mnt';
  const { status, error } = spawnSync('unshare', ['-rm', 'sh', '-c', script]);
  return status === 0
    ? undefined
    : `no file system can be mounted here (${error?.message ?? 'unshare'})`;
}

const real = suite('a full disk (sqlite, a file system of 64 MB)');
const name = 'the reserve lets deletes, and a restart, work on a disk without a free byte';
const reason = reasonToSkip();
if (reason !== undefined) {
  process.stdout.write(`  skipped: ${name}: ${reason}\n`);
  real.skip(name, () => {});
} else {
  real(name, async () => {
    const dir = mkdtempSync(join(tmpdir(), 'svc-full-'));
    try {
      const child = fileURLToPath(new URL('./disk-full-child.ts', import.meta.url));
      const script = `mount -t tmpfs -o size=64m tmpfs '${dir}' && TMPDIR='${dir}' exec '${process.execPath}' '${child}'`;
      const { output, status } = await run('unshare', ['-rm', 'sh', '-c', script]);
      assert.is(status, 0, output);
      assert.equal(JSON.parse(output.trim().split('\n').at(-1) ?? ''), {
        reserve: 12 * 2 ** 20,
        deletedFirst: { success: true },
        refused: [103, 'the disk is full'],
        deletedAgain: { success: true },
        deletedBySql: 1,
        deletedAll: { success: true },
        deletedAfterRestart: { success: true },
        storedWithRoom: { success: true },
        reserveAgain: 12 * 2 ** 20,
      });
    } finally {
      rmSync(dir, { recursive: true, force: true });
    }
  });
}
real.run();

/** Sizes of disks, and what is left free on them, MB. */
const disks = [
  [60, 40],
  [300, 60],
  [1_000, 110],
  [4_000, 200],
] as const;
const flooded = suite('a full disk (sqlite, file systems of their own)');
const noLoop = reasonForNoLoop();
for (const [size, left] of disks) {
  const story = `of ${size} MB that reports fill: deletes and restarts work, and what deletes leave is filled again`;
  if (noLoop !== undefined) {
    process.stdout.write(`  skipped: ${story}: ${noLoop}\n`);
    flooded.skip(story, () => {});
    continue;
  }
  flooded(story, async () => {
    const dir = mkdtempSync(join(tmpdir(), 'svc-flood-'));
    try {
      const child = fileURLToPath(new URL('./disk-full-flood.ts', import.meta.url));
      const script = `mount -o loop '${dir}/image' '${dir}/disk' && TMPDIR='${dir}/disk' exec '${process.execPath}' '${child}' ${left}`;
      makeDisk(dir, size);
      const { output, status } = await run('unshare', ['-m', 'sh', '-c', script]);
      assert.is(status, 0, output);
      assert.equal(JSON.parse(output.trim().split('\n').at(-1) ?? ''), {
        refusal: [103, 'the disk is full'],
        filled: true,
        deleted: 5,
        deletedAfterRestart: 5,
        deletedMany: 8,
        storedThen: { namespace: 'room', kv: {} },
        fullAgain: [103, 'the disk is full'],
        deletedAgain: 5,
        deletedAll: true,
        storedAtLast: { namespace: 'much_room', kv: {} },
      });
    } finally {
      rmSync(dir, { recursive: true, force: true });
    }
  });
}
flooded.run();

/** A file system in a sparse file. */
function makeDisk(dir: string, size_mb: number): void {
  mkdirSync(join(dir, 'disk'));
  writeFileSync(join(dir, 'image'), '');
  truncateSync(join(dir, 'image'), size_mb * 2 ** 20);
  const { status, stderr } = spawnSync('mkfs.ext4', ['-q', '-m', '0', join(dir, 'image')]);
  assert.is(status, 0, String(stderr));
}

/** undefined: a file with a file system can be mounted, which takes root and a loop device. */
function reasonForNoLoop(): string | undefined {
  const dir = mkdtempSync(join(tmpdir(), 'svc-loop-'));
  try {
    makeDisk(dir, 8);
    const script = `mount -o loop '${dir}/image' '${dir}/disk'`;
    const { status, stderr } = spawnSync('unshare', ['-m', 'sh', '-c', script]);
    return status === 0 ? undefined : `no file can be mounted here (${String(stderr).trim()})`;
  } catch (error) {
    return `no file system can be made here (${(error as Error).message})`;
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}

function run(command: string, args: string[]): Promise<{ output: string; status: number | null }> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    const take = (text: Buffer) => {
      output += text;
    };
    child.stderr.on('data', take);
    child.stdout.on('data', take);
    child.on('error', reject);
    child.on('close', (status) => resolve({ output, status }));
  });
}
