import { type CallContext, described, type Methods, RpcError, Type } from '@svc/plugin-sdk';
import { Uint64 } from '@svc/plugin-sdk/schemas';
import type { Crontab } from '../crontab.ts';
import { ChangedCronType, refuseMoreAgents, TYPE_WORDS } from '../job-type.ts';
import { checkName } from '../names.ts';
import type { JobRow, JobStore } from '../store/jobs.ts';
import {
  checkExpression,
  contentOf,
  Expression,
  Name,
  type NamedJob,
  ownerOf,
} from './job-content.ts';

/** A change is tried again this often when other callers change the same job at the same time. */
const TRIES = 10;

interface Change {
  readonly job: NamedJob;
  readonly call: CallContext;
  readonly right: 'write' | 'delete';
  /** @returns undefined when the row has changed since it was read */
  readonly apply: (old: JobRow) => Promise<JobRow | undefined>;
}

/** `crontab_edit`, `crontab_delete` and `crontab_set_enable` (crontab.md §5). */
export function addChangeMethods(methods: Methods, crontab: Crontab): void {
  addEdit(methods, crontab);
  addDelete(methods, crontab);
  addSetEnable(methods, crontab);
}

function addEdit(methods: Methods, { access, changed, clock, store }: Crontab): void {
  methods.add('crontab_edit', {
    summary: 'Replaces expression and type of a job; a new expression counts from now.',
    description:
      'A job has at most 10,000 agents; one that has more, from an earlier version, may be changed to fewer.',
    params: {
      name: Name,
      cron_expression: Expression,
      cron_type: described(ChangedCronType, TYPE_WORDS),
    },
    result: Type.Object({ id: Uint64, success: Type.Literal(true) }),
    audit: ({ name }) => name,
    prepare: contentOf,
    right: {
      words:
        'what `crontab_create` asks for, and `crontab` `write` in the scope of each agent of the stored job',
      scopes: [{ agent_uuid: '<cron_type>' }],
      permissions: [{ crontab: 'write' }, { task: { create: '<cron_type>' } }],
    },
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
      const row = await changeRow(access, {
        job,
        call,
        right: 'write',
        apply: (old) => {
          refuseMoreAgents(type, old.cron_type);
          const same = old.cron_expression === cron_expression;
          const start_time = same ? old.start_time : clock.now();
          const owner = ownerOf(call.caller);
          return store.change(old, { cron_expression, cron_type: type.text, start_time, owner });
        },
      });
      changed(row);
      call.log.info('job changed', { job: job.name });
      return { id: row.id, success: true as const };
    },
  });
}

function addDelete(methods: Methods, { access, changed, store }: Crontab): void {
  methods.add('crontab_delete', {
    summary: 'Deletes a job; runs already dispatched go on, records stay.',
    params: { name: Name },
    result: Type.Object({ success: Type.Literal(true) }),
    audit: ({ name }) => name,
    prepare: ({ name }): NamedJob => ({ name: checkName(name) }),
    right: {
      words:
        '`crontab` `delete` in the scope of each agent of the job, or in the scope `global` for a script',
      scopes: ['global'],
      permissions: [{ crontab: 'delete' }],
    },
    access: {
      async custom(job, call) {
        job.found = await access.demandStored(await call.authenticate(), job.name, 'delete');
      },
    },
    async handle(job, call) {
      const row = await changeRow(access, {
        job,
        call,
        right: 'delete',
        apply: async (old) => ((await remove(store, old)) ? old : undefined),
      });
      changed({ gone: row.id });
      call.log.info('job deleted', { job: job.name });
      return { success: true as const };
    },
  });
}

function addSetEnable(methods: Methods, { access, changed, clock, store }: Crontab): void {
  methods.add('crontab_set_enable', {
    summary: 'Switches a job on or off; one that is switched on counts from now.',
    params: { name: Name, enable: Type.Boolean({ description: 'Whether the job fires.' }) },
    result: Type.Object({ success: Type.Literal(true), enabled: Type.Boolean() }),
    audit: ({ name, enable }) => `${name} ${enable ? 'on' : 'off'}`,
    prepare: ({ name, enable }): NamedJob & { enable: boolean } => ({
      name: checkName(name),
      enable,
    }),
    right: {
      words:
        '`crontab` `write` in the scope of each agent of the job, or in the scope `global` for a script',
      scopes: ['global'],
      permissions: [{ crontab: 'write' }],
    },
    access: {
      async custom(job, call) {
        job.found = await access.demandStored(await call.authenticate(), job.name, 'write');
      },
    },
    async handle(job, call) {
      const { enable } = job;
      const row = await changeRow(access, {
        job,
        call,
        right: 'write',
        apply: (old) => {
          const start_time = enable && !old.enable ? clock.now() : old.start_time;
          return store.change(old, { enable, start_time });
        },
      });
      changed(row);
      call.log.info('job switched', { job: job.name, enable });
      return { success: true as const, enabled: row.enable };
    },
  });
}

/** Changes the row that the access check found. If it has changed since, reads it and checks the rights again. */
async function changeRow(
  access: Crontab['access'],
  { job, call, right, apply }: Change,
): Promise<JobRow> {
  const read = () => access.demandStored(call.caller, job.name, right);
  let old = job.found ?? (await read());
  for (let tries = 0; tries < TRIES; tries++) {
    const row = await apply(old);
    if (row) return row;
    old = await read();
  }
  throw RpcError.database('the job is being changed by others all the time');
}

/** The error of a failed deletion is not 103 (crontab.md §5.4). */
async function remove(store: JobStore, row: JobRow): Promise<boolean> {
  try {
    return await store.remove(row);
  } catch (cause) {
    throw RpcError.other('the job could not be deleted', { cause });
  }
}
