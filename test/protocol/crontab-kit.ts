import type { TestApp } from '@svc/plugin-sdk/testing';
import { eventually } from './token-kit.ts';

export const A = '0b6f1c52-7a35-4d0e-9c1b-52d3a8e0f411';
export const B = 'c01d3a7e-11f2-4b1c-8a55-0f6f2f1a9e20';
export const PLUGINS = ['token', 'agent-uuid', 'task', 'crontab'];

/** `cron_type` of an agent job. */
export const agents = (uuids: readonly string[], task: unknown = 'ip') => ({
  agent: [uuids, { task }],
});
/** `cron_type` of a worker job. */
export const worker = (name: string, params: unknown = null) => ({
  server: { js_worker: [name, params] },
});

/** Never while a test runs. */
export const NEVER = '0 0 0 1 1 * 2100';
export const EVERY_SECOND = '* * * * * *';

/** The result, or an error as `<code> <message>`. */
export const outcome = (call: Promise<unknown>): Promise<any> =>
  call.catch((error) => `${error.code} ${error.message}`);

/** A server's `crontab` with the rights of its Super Token; errors as `<code> <message>`. */
export function crontab(app: Pick<TestApp, 'call'>, token: string) {
  const call = (method: string, ...rest: unknown[]) => outcome(app.call(method, [token, ...rest]));
  return {
    create: (name: string, expression: unknown = NEVER, type: unknown = agents([A])) =>
      call('crontab_create', name, expression, type),
    edit: (name: string, expression: unknown = NEVER, type: unknown = agents([A])) =>
      call('crontab_edit', name, expression, type),
    get: () => call('crontab_get'),
    remove: (name: unknown) => call('crontab_delete', name),
    enable: (name: unknown, enable: unknown = true) => call('crontab_set_enable', name, enable),
    query: (...condition: unknown[]) => call('crontab-result_query', { condition }),
    erase: (...condition: unknown[]) => call('crontab-result_delete', { condition }),
    async job(name: string) {
      const jobs = await call('crontab_get');
      return jobs.find((job: any) => job.name === name);
    },
    /** Waits until so many records of a job are there, oldest first. */
    async records(name: string, count: number): Promise<any[]> {
      let found: any[] = [];
      await eventually(async () => {
        found = await call('crontab-result_query', { condition: [{ cron_name: name }] });
        if (found.length < count) throw new Error(`${found.length} of ${count} records`);
      });
      return found.toReversed();
    },
  };
}
export type Crontab = ReturnType<typeof crontab>;

/** Rows for `crontab_result`, straight into the table. */
export async function addRecords(
  app: TestApp,
  records: readonly (readonly [
    cron_id: number,
    cron_name: string,
    relative_id: number | null,
    run_time: number,
    success: boolean,
  ])[],
): Promise<void> {
  for (const [id, name, relative, time, success] of records) {
    await app.sql(
      `insert into crontab_result (cron_id, cron_name, relative_id, run_time, success, message)
        values (${id}, '${name}', ${relative}, ${time}, ${success}, 'made by hand')`,
    );
  }
}
