/** Jobs that probe, and what their machines measured: for the tests and pictures of Monitors and Jobs. */
import { type Kit, uuidOf } from './kit.ts';

const MINUTE = 60_000;
/** The oldest are of so many minutes ago: within the last hour for as long as a test runs. */
const LAST = 50;
/** Machines that have measured nothing in the last hour, one that is slow today, one that loses, one without an answer. */
export const AWAY = 3;
export const SLOW = 4;
export const LOSSY = 5;
export const SILENT = 6;

export const TARGETS = [
  ['tcp_ping', 'shop.example.net:443', 40],
  ['ping', '192.0.2.7', 12],
  ['http_ping', 'https://www.example.org/health', 180],
] as const;

interface Task {
  readonly at: number;
  readonly kind: string;
  readonly target: string;
  readonly job: string;
  /** Unix ms. */
  readonly time: number;
  /** null: no answer. */
  readonly ms: number | null;
}

const hex = (at: number) => `x'${uuidOf(at).replaceAll('-', '')}'`;
const quoted = (value: unknown) => `'${JSON.stringify(value)}'`;

async function write(kit: Kit, tasks: readonly Task[]): Promise<void> {
  for (let from = 0; from < tasks.length; from += 500) {
    const rows = tasks.slice(from, from + 500).map(({ at, kind, target, job, time, ms }) => {
      const [type, result] = [{ [kind]: target }, ms === null ? null : { [kind]: ms }];
      return `(${hex(at)}, 'x', ${time}, ${ms !== null}, ${quoted(type)}, ${result === null ? 'null' : quoted(result)},
        ${ms === null ? "'no answer within 2 s'" : 'null'}, '${kind}', '${job}', ${time})`;
    });
    await kit.app.sql(`insert into task (uuid, token, timestamp, success, task_event_type, task_event_result, error_message,
      type_name, cron_source, created_at) values ${rows.join(', ')}`);
  }
}

/** Three jobs of all machines; the last three machines are away. SQLite only. */
export async function measured(kit: Kit, machines: number): Promise<void> {
  const { app } = kit;
  const now = Date.now();
  const away = machines > 10 ? AWAY : 0;
  const uuids = Array.from({ length: machines }, (_, at) => uuidOf(at));
  for (const [nth, [kind, target, usual]] of TARGETS.entries()) {
    const job = `probe ${nth + 1}`;
    await app.call('crontab_create', {
      token: app.superToken,
      name: job,
      cron_expression: '0 0 0 1 1 *',
      cron_type: { agent: [uuids, { task: { [kind]: target } }] },
    });
    const tasks: Task[] = [];
    for (let at = 0; at < machines - away; at++)
      for (let minute = 1; minute < LAST; minute += 2)
        for (const day of at === SLOW ? [0, 1, 2] : [0]) {
          const wave = 1 + 0.1 * Math.sin(minute / 3 + at);
          const mine =
            usual * (0.5 + ((at * 13) % 17) / 10) * wave * (at === SLOW && day === 0 ? 4 : 1);
          const isLost = (at === LOSSY && minute % 10 === 3) || at === SILENT;
          const time = now - day * 1440 * MINUTE - minute * MINUTE;
          tasks.push({ at, kind, target, job, time, ms: isLost ? null : mine + 1 / 3 });
        }
    await write(kit, tasks);
  }
}

/** One firing of the first job, a minute ago, at which the last machines were not there. SQLite only. */
export async function fired(kit: Kit, machines: number): Promise<void> {
  const { app } = kit;
  const away = machines > 10 ? AWAY : 0;
  const time = Date.now() - MINUTE;
  const jobs = await app.call('crontab_get', { token: app.superToken });
  const { id } = jobs.find(({ name }: { name: string }) => name === 'probe 1');
  const condition = [{ cron_source: 'probe 1' }, { timestamp_from: time - MINUTE }];
  const tasks = await app.call('task_query', {
    token: app.superToken,
    task_data_query: { condition },
  });
  const rows = tasks.map(
    ({ task_id, uuid }: { task_id: number; uuid: string }) =>
      `(${id}, 'probe 1', ${task_id}, ${time}, true, 'Task ${task_id} was handed to agent ${uuid}')`,
  );
  for (let at = machines - away; at < machines; at++) {
    const message = `Task for agent ${uuidOf(at)} failed: agent ${uuidOf(at)} is not connected`;
    rows.push(`(${id}, 'probe 1', null, ${time}, false, '${message}')`);
  }
  await app.sql(
    `insert into crontab_result (cron_id, cron_name, relative_id, run_time, success, message) values ${rows.join(', ')}`,
  );
}
