import { watch } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { basename, dirname, resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { Complaint } from '../io.ts';
import type { Session } from '../session.ts';
import { clean } from '../text.ts';
import { parsed } from './data.ts';
import { SCRIPT_TYPES } from './script-types.ts';

/** Fields that stay as they are when a script is replaced. */
const KEPT = [
  'description',
  'route_name',
  'runtime_clean_time',
  'env',
  'max_run_time',
  'max_stack_size',
  'max_heap_size',
];
type Row = Readonly<Record<string, unknown>>;

const POLL_MS = 50;
/** Time after which a save counts as complete: editors write a file in several steps. */
const SETTLE_MS = 100;

/** `svc worker deploy FILE`, `svc worker dev FILE`, `svc worker types` */
export async function worker(session: Session): Promise<void> {
  const verb = session.word(0, 'deploy, dev or types');
  if (verb === 'types') return session.print(SCRIPT_TYPES);
  const file = session.word(1, 'FILE');
  const name = session.flags.name ?? basename(file).replace(/\.\w+$/, '');
  if (verb === 'dev') await develop(session, file, name);
  else if (verb === 'deploy') session.print(`${await deploy(session, file, name)} ${name}\n`);
  else throw new Complaint(`'${verb}': svc worker deploy, dev or types`, 2);
}

/** Replaces the script and nothing else; makes the worker where there is none. */
async function deploy(session: Session, file: string, name: string): Promise<string> {
  const text = await textOf(file);
  const given = {
    ...(await settings(session)),
    js_script_base64: Buffer.from(text).toString('base64'),
  };
  const names = (await session.client.call('js-worker_list_all_js_worker')) as string[];
  if (!names.includes(name)) {
    await session.client.call('js-worker_create', { name, ...given });
    return 'created';
  }
  const old = (await session.client.call('js-worker_read', { name })) as Record<string, unknown>;
  const kept = Object.fromEntries(KEPT.map((member) => [member, old[member] ?? null]));
  await session.client.call('js-worker_update', { ...kept, name, ...given });
  return 'updated';
}

/** @throws Complaint where it cannot be read */
const textOf = (file: string): Promise<string> =>
  readFile(file, 'utf8').catch(({ message }: Error) => {
    throw new Complaint(message);
  });

/** Fields that `--route` and `--env` set; a credential of a script comes from a file, too. */
async function settings({ flags }: Session): Promise<{ route_name?: string; env?: unknown }> {
  const { route, env: file } = flags;
  const env = file === undefined ? undefined : parsed(await textOf(file));
  if (file !== undefined && typeof env !== 'object')
    throw new Complaint(`${file} holds no JSON object: write {"token":"KEY:SECRET"}`);
  return { ...(route !== undefined && { route_name: route }), ...(env !== undefined && { env }) };
}

/** Deploys and runs the script now and on every save, and shows what it logs and answers. */
async function develop(session: Session, file: string, name: string): Promise<void> {
  let left = session.flags.count ?? Infinity;
  const changes = savesOf(file);
  await showLog(session, name);
  session.print(`${file} runs as '${name}' on every save\n`);
  for (;;) {
    // A script that does not compile is reported; the next save is awaited.
    await once(session, file, name).catch(({ message }: Error) => session.print(`✗ ${message}\n`));
    if (--left <= 0) return changes.close();
    await changes.next();
  }
}

/** Shows what the script writes by `svcLog`: the log of a server is the Super Token's. */
async function showLog(session: Session, name: string): Promise<void> {
  const params = { log_filter: 'js_worker=trace' };
  const stream = session.client.subscribe('svc-server_stream_log', params);
  try {
    await stream.ready;
  } catch (error) {
    session.print(`without its log: ${(error as Error).message}\n`);
    return;
  }
  const show = ({ fields, level, message }: { fields: Row; level: string; message: string }) => {
    // Log lines of the server about the worker have no namespace.
    if (fields['worker'] === name && 'namespace' in fields)
      session.print(`  ${level} ${clean(message)}\n`);
  };
  // The stream ends with the connection, which the next call reports.
  stream.each(show).catch(() => {});
}

async function once(session: Session, file: string, name: string): Promise<void> {
  await deploy(session, file, name);
  const { as: run_type = 'call', params = '{}' } = session.flags;
  const run = { js_script_name: name, run_type, params: parsed(params) };
  const { id } = (await session.client.call('js-worker_run', run)) as { id: number };
  for (;;) {
    const query = { condition: [{ id }] };
    const rows = await session.client.call('js-result_query', { query });
    const [row] = rows as unknown as Record<string, unknown>[];
    if (row && row['finish_time'] !== null) {
      const ms = Number(row['finish_time']) - Number(row['start_time']);
      const error = row['error_message'];
      session.print(
        error ? `✗ ${ms} ms ${error}\n` : `✓ ${ms} ms ${JSON.stringify(row['result'])}\n`,
      );
      return;
    }
    await pause(POLL_MS);
  }
}

/** Resolves `next` after a save. The folder is watched: editors replace the file. */
function savesOf(file: string) {
  let wake = () => {};
  const watcher = watch(dirname(resolve(file)), (_event, name) => {
    if (name === basename(file)) wake();
  });
  return {
    close: () => watcher.close(),
    async next() {
      await new Promise<void>((done) => {
        wake = done;
      });
      await pause(SETTLE_MS);
    },
  };
}
