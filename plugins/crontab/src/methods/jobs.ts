import {
  type CallContext,
  type Methods,
  type Principal,
  RawJson,
  RpcError,
  Type,
  Uint64,
} from '@svc/plugin-sdk';
import { checkTask } from '@svc/plugin-task/api';
import { isVisible } from '../access.ts';
import { CronError, parseCron } from '../cron/parse.ts';
import type { Job } from '../job.ts';
import { CronType, type JobType, jobTypeOf } from '../job-type.ts';
import { checkName } from '../names.ts';
import type { CrontabParts } from '../parts.ts';
import type { JobRow } from '../store/jobs.ts';

const Name = Type.String({ description: 'Unique; 1 to 128 characters, no "/", "\\" or control.' });
const Expression = Type.String({ description: 'Six or seven fields, seconds first; UTC.' });

const JobView = Type.Object({
  id: Uint64,
  name: Type.String(),
  enable: Type.Boolean(),
  cron_expression: Type.String(),
  cron_type: Type.Unknown(),
  last_run_time: Type.Union([Uint64, Type.Null()]),
});

/** A change is tried again this often when somebody else changes the same job at the same time. */
const TRIES = 10;

/** `crontab_*` (crontab.md §5). */
export function addJobMethods(methods: Methods, parts: CrontabParts): void {
  const { access, changed, clock, jobs, store } = parts;

  methods.add('crontab_create', {
    summary: 'Stores a job; it is enabled and has never run.',
    params: { name: Name, cron_expression: Expression, cron_type: CronType },
    result: Type.Object({ id: Uint64 }),
    prepare: contentOf,
    access: {
      custom: async ({ type }, call) => access.demandNew(await call.authenticate(), type),
    },
    check: checkExpression,
    async handle({ name, cron_expression, type }) {
      const content = { name, cron_expression, cron_type: type.text, start_time: clock.now() };
      const row = await store.insert(content);
      if (!row) throw RpcError.invalid(`a job named '${name}' exists already`);
      changed(row);
      return { id: row.id };
    },
  });

  methods.add('crontab_edit', {
    summary: 'Replaces expression and type of a job; a new expression counts from now.',
    params: { name: Name, cron_expression: Expression, cron_type: CronType },
    result: Type.Object({ id: Uint64, success: Type.Literal(true) }),
    prepare: contentOf,
    access: {
      async custom(job, call) {
        const caller = await call.authenticate();
        job.found = await access.demandStored(caller, job.name, 'write');
        await access.demandNew(caller, job.type);
      },
    },
    check: checkExpression,
    async handle(job, call) {
      const { cron_expression, type } = job;
      const row = await attempt(job, call, 'write', (old) => {
        const same = old.cron_expression === cron_expression;
        const start_time = same ? old.start_time : clock.now();
        return store.change(old, { cron_expression, cron_type: type.text, start_time });
      });
      changed(row);
      return { id: row.id, success: true as const };
    },
  });

  methods.add('crontab_get', {
    summary: 'The jobs that the caller may see, by id.',
    params: {},
    result: Type.Array(JobView),
    access: {
      custom: async (_params, call) => void (await access.visible(await call.authenticate())),
    },
    async handle(_params, { caller }) {
      const visible = await access.visible(caller);
      const views = jobs.list().filter((job) => isVisible(job, visible));
      return new RawJson(`[${views.map(viewOf).join(',')}]`);
    },
  });

  methods.add('crontab_delete', {
    summary: 'Deletes a job; runs already dispatched go on, records stay.',
    params: { name: Name },
    result: Type.Object({ success: Type.Literal(true) }),
    prepare: ({ name }): NamedJob => ({ name: checkName(name) }),
    access: {
      async custom(job, call) {
        job.found = await access.demandStored(await call.authenticate(), job.name, 'delete');
      },
    },
    async handle(job, call) {
      const row = await attempt(job, call, 'delete', async (old) =>
        (await removed(old)) ? old : undefined,
      );
      changed({ gone: row.id });
      return { success: true as const };
    },
  });

  methods.add('crontab_set_enable', {
    summary: 'Switches a job on or off; one that is switched on counts from now.',
    params: { name: Name, enable: Type.Boolean() },
    result: Type.Object({ success: Type.Literal(true), enabled: Type.Boolean() }),
    prepare: ({ name, enable }): NamedJob & { enable: boolean } => ({
      name: checkName(name),
      enable,
    }),
    access: {
      async custom(job, call) {
        job.found = await access.demandStored(await call.authenticate(), job.name, 'write');
      },
    },
    async handle(job, call) {
      const { enable } = job;
      const row = await attempt(job, call, 'write', (old) => {
        const start_time = enable && !old.enable ? clock.now() : old.start_time;
        return store.change(old, { enable, start_time });
      });
      changed(row);
      return { success: true as const, enabled: row.enable };
    },
  });

  /** Changes the row that was looked at, or looks again: rights hold for the job as it is when it changes. */
  async function attempt(
    { name, found }: NamedJob,
    { caller }: CallContext,
    right: 'write' | 'delete',
    change: (old: JobRow) => Promise<JobRow | undefined>,
  ): Promise<JobRow> {
    let old = found ?? (await again(caller, name, right));
    for (let tries = 0; tries < TRIES; tries++) {
      const row = await change(old);
      if (row) return row;
      old = await again(caller, name, right);
    }
    throw RpcError.database('the job is being changed by others all the time');
  }

  const again = (caller: Principal, name: string, right: 'write' | 'delete') =>
    access.demandStored(caller, name, right);

  /** Deleting has an error of its own (crontab.md §5.4). */
  async function removed(row: JobRow): Promise<boolean> {
    try {
      return await store.remove(row);
    } catch (cause) {
      throw RpcError.other('the job could not be deleted', { cause });
    }
  }
}

interface NamedJob {
  readonly name: string;
  /** The row that the access check found. */
  found?: JobRow;
}

interface JobContent extends NamedJob {
  readonly cron_expression: string;
  readonly type: JobType;
}

interface Given {
  readonly name: string;
  readonly cron_expression: string;
  readonly cron_type: CronType;
}

function contentOf({ name, cron_expression, cron_type }: Given): JobContent {
  const type = jobTypeOf(cron_type);
  checkName(name);
  if (type.kind === 'agent') checkTask(type.task);
  return { name, cron_expression, type };
}

function checkExpression({ cron_expression }: JobContent): void {
  try {
    parseCron(cron_expression);
  } catch (error) {
    if (!(error instanceof CronError)) throw error;
    throw RpcError.parse(`Invalid cron expression: ${error.message}`);
  }
}

function viewOf(job: Job): string {
  const { id, name, enable, cron_expression, type, last_run_time } = job;
  const text = JSON.stringify;
  return `{"id":${id},"name":${text(name)},"enable":${enable},"cron_expression":${text(cron_expression)},"cron_type":${type.text},"last_run_time":${last_run_time}}`;
}
