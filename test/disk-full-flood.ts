// A disk that reports fill, on a file system of its own below TMPDIR (disk-full.test.ts). Argument: MB that are left free
// before. The last line says what happened.
import { execFileSync } from 'node:child_process';
import { statfsSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bootForTest } from '@svc/plugin-sdk/testing';
import { dynamicReport } from './protocol/agent-kit.ts';

const MB = 2 ** 20;
const LEFT = Number(process.argv[2]) * MB;
const PLUGINS = ['token', 'kv', 'agent-uuid', 'agent', 'server-info'];
/** A machine with so many cores sends reports of some 55 kB. */
const CORES = 1_000;
const AT_ONCE = 40;
const LONGEST_MS = 240_000;

const free = () => {
  const { bavail, bsize } = statfsSync(tmpdir());
  return bavail * bsize;
};
// Extents that are not written: nothing of it is in memory, or in the image of the file system.
if (free() > LEFT)
  execFileSync('fallocate', ['-l', String(Math.floor(free() - LEFT)), join(tmpdir(), 'ballast')]);

// The kit makes no reserve; servers do.
const database = { sqlite_reserve_mb: undefined };
const app = await bootForTest(PLUGINS, { database }, { dialect: 'sqlite' });
const outcome = (method: string, ...rest: unknown[]): Promise<any> =>
  app.call(method, [app.superToken, ...rest]).catch((error) => [error.code, error.data]);
const [{ file }] = (await app.sql('pragma database_list')) as { file: string }[] as [
  { file: string },
];
const state = () => {
  const mb = (suffix: string) =>
    Math.round((statSync(file + suffix, { throwIfNoEntry: false })?.size ?? 0) / MB);
  return `${free() / MB} MB free, file ${mb('')}, log ${mb('-wal')}, reserve ${mb('.reserve')} MB`;
};
const tell = (text: string) => process.stderr.write(`${text}: ${state()}\n`);

// The reserve is made some seconds after the start.
for (const end = Date.now() + 30_000; Date.now() < end; ) {
  if (statSync(`${file}.reserve`, { throwIfNoEntry: false })) break;
  await new Promise((resolve) => setTimeout(resolve, 100));
}
await new Promise((resolve) => setTimeout(resolve, 500));
tell('before');

const [core] = dynamicReport().cpu.per_core;
const cpu = { ...dynamicReport().cpu, per_core: Array.from({ length: CORES }, () => core) };
let time = Date.now();
const report = () => {
  const body = dynamicReport({ time: time++, cpu });
  return outcome('agent_report_dynamic', body);
};
/** Until nothing is taken any more. @returns how many were stored, and the refusal */
async function flood(): Promise<{ stored: number; refusal: unknown }> {
  let stored = 0;
  let refusals = 0;
  let refusal: unknown;
  const end = Date.now() + LONGEST_MS;
  const send = async () => {
    while (refusals < 200 && Date.now() < end) {
      const answer = await report();
      if (!Array.isArray(answer)) stored++;
      else {
        refusals++;
        refusal = answer;
      }
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, send));
  return { stored, refusal };
}
const first = await flood();
tell(`full after ${first.stored} reports`);
const deletes = async (count: number, limit: number) => {
  let done = 0;
  for (let n = 0; n < count; n++)
    if ((await outcome('agent_delete_dynamic', [{ limit }]))?.success) done++;
  return done;
};
const said: Record<string, unknown> = { refusal: first.refusal, filled: first.stored > 100 };
said['deleted'] = await deletes(5, 5);
tell('deleted');
await app.restart();
tell('restarted');
said['deletedAfterRestart'] = await deletes(5, 5);
said['deletedMany'] = await deletes(8, Math.floor(first.stored / 20));
tell('deleted many');
said['storedThen'] = await outcome('kv_create', 'room');
const again = await flood();
tell(`full again after ${again.stored} reports`);
said['fullAgain'] = again.refusal;
said['deletedAgain'] = await deletes(5, 5);
await app.restart();
said['deletedAll'] = await outcome('agent_delete_dynamic', []).then(({ success }) => success);
said['storedAtLast'] = await outcome('kv_create', 'much_room');
await app.stop();
process.stdout.write(`${JSON.stringify(said)}\n`);
