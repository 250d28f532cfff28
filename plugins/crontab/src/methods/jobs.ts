import { described, type Methods, type Right, RpcError, Type } from '@svc/plugin-sdk';
import { RawJson } from '@svc/plugin-sdk/json';
import { Uint64 } from '@svc/plugin-sdk/schemas';
import type { Integer } from '@svc/plugin-sdk/sql';
import { isVisible, type Visible } from '../access.ts';
import { jobOf } from '../contents.ts';
import type { Crontab } from '../crontab.ts';
import type { Job } from '../job.ts';
import { CronType, TYPE_WORDS } from '../job-type.ts';
import type { JobRow } from '../store/jobs.ts';
import { addChangeMethods } from './changes.ts';
import { checkExpression, contentOf, Expression, Name, ownerOf } from './job-content.ts';

/** Rows of one read. */
const PAGE = 50;

const JobView = Type.Object({
  id: Uint64,
  name: Type.String(),
  enable: Type.Boolean(),
  cron_expression: Type.String(),
  cron_type: Type.Unsafe<unknown>(CronType),
  last_run_time: Type.Union([Uint64, Type.Null()]),
  owner: Type.Optional(
    Type.String({ description: 'Token key of the last writer; absent: the Super Token.' }),
  ),
});

const MAY_CREATE: Right = {
  words:
    '`crontab` `write` in the scope of each agent, and `task` `create` of the type there; for a script, `crontab` `write` in the scope `global`, and `js_worker` `run_defined_js_worker` in the scope of the worker',
  scopes: [{ agent_uuid: '<cron_type>' }],
  permissions: [{ crontab: 'write' }, { task: { create: '<cron_type>' } }],
};

/** `crontab_*` (crontab.md §5). */
export function addJobMethods(methods: Methods, crontab: Crontab): void {
  const { access, changed, clock, store } = crontab;

  methods.add('crontab_create', {
    summary: 'Stores a job; it is enabled and has never run.',
    params: { name: Name, cron_expression: Expression, cron_type: described(CronType, TYPE_WORDS) },
    result: Type.Object({ id: Uint64 }),
    audit: ({ name }) => name,
    prepare: contentOf,
    right: MAY_CREATE,
    access: {
      custom: async ({ type }, call) => access.demandNew(await call.authenticate(), type),
    },
    check: checkExpression,
    async handle({ name, cron_expression, type }, { caller, log }) {
      const content = {
        name,
        cron_expression,
        cron_type: type.text,
        start_time: clock.now(),
        owner: ownerOf(caller),
      };
      const row = await store.insert(content);
      if (!row) throw RpcError.invalid(`a job named '${name}' exists already`);
      changed(row);
      log.info('job created', { job: name });
      return { id: row.id };
    },
  });

  methods.add('crontab_get', {
    summary: 'The jobs that the caller may see, by id.',
    secret: true,
    params: {},
    result: Type.Array(JobView),
    right: {
      words: '`crontab` `read`, in any scope; the answer holds the jobs of those scopes',
      scopes: ['global'],
      permissions: [{ crontab: 'read' }],
    },
    access: {
      custom: async (_params, call) => void (await access.visible(await call.authenticate())),
    },
    async handle(_params, { caller }) {
      const visible = await access.visible(caller);
      return new RawJson(`[${await viewsOf(crontab, visible)}]`);
    },
  });

  addChangeMethods(methods, crontab);
}

/** A page at a time, and no further than an answer may go. @throws RpcError -32008, 103 */
async function viewsOf({ maxBytes, store }: Crontab, visible: Visible): Promise<string> {
  const most = maxBytes();
  let text = '';
  for (let last: Integer = 0; ; ) {
    let rows = 0;
    for await (const row of store.after(last, PAGE)) {
      rows++;
      last = row.id;
      const job = readable(row);
      if (!job || !isVisible(job, visible)) continue;
      text += `${text && ','}${viewOf(job)}`;
      if (text.length > most) throw RpcError.responseTooBig(most);
    }
    if (rows < PAGE) return text;
  }
}

/** Returns the job of a row; one that cannot be read is logged and not listed. */
function readable(row: JobRow): Job | undefined {
  try {
    return jobOf(row);
  } catch {
    return undefined;
  }
}

function viewOf(job: Job): string {
  const { id, name, enable, cron_expression, type, last_run_time, owner } = job;
  const text = JSON.stringify;
  const shown = owner === null ? '' : `,"owner":${text(owner)}`;
  return `{"id":${id},"name":${text(name)},"enable":${enable},"cron_expression":${text(cron_expression)},"cron_type":${type.text},"last_run_time":${last_run_time}${shown}}`;
}
