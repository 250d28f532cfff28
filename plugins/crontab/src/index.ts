import { History } from '@svc/plugin-retention/api';
import { definePlugin, Holdings, reload, Type } from '@svc/plugin-sdk';
import { Tasks } from '@svc/plugin-task/api';
import { Owners, Tokens } from '@svc/plugin-token/api';
import { WorkerRuns } from './api.ts';
import { filterOf } from './conditions.ts';
import { createCrontab } from './crontab.ts';
import { examples } from './examples.ts';
import { jobsHeld } from './held.ts';
import { addJobMethods } from './methods/jobs.ts';
import { addResultMethods } from './methods/results.ts';
import { migrations } from './migrations/index.ts';
import { permissions } from './permissions.ts';
import { ARRIVED } from './store/results.ts';

/** The scheduler begins this long after the server. */
const BEGIN_MS = 1_000;
/** A job writes at most what it writes in this time beyond its bytes. */
const TRIM_MS = 60_000;

const config = Type.Object({
  refresh_interval_ms: Type.Integer({
    minimum: 1_000,
    maximum: 2 ** 31 - 1,
    default: 10_000,
    description: 'How often jobs that other servers changed are looked for in the database.',
  }),
  max_result_bytes: reload(
    Type.Integer({
      minimum: 0,
      default: 17_179_869_184,
      description: 'Bytes of the stored records of one job; the oldest go. 0: no limit.',
    }),
  ),
  max_jobs_per_owner: reload(
    Type.Integer({
      minimum: 0,
      default: 10_000,
      description:
        'Jobs that a token may have, with all tokens that it created; the Super Token has no such limit. 0: no limit.',
    }),
  ),
  max_job_bytes_per_owner: reload(
    Type.Integer({
      minimum: 0,
      default: 16_777_216,
      description:
        'Bytes of those jobs together: their names, expressions and what they do; 0: no limit.',
    }),
  ),
});

/** Scheduled jobs: namespaces `crontab` and `crontab-result` with their tables (crontab.md). */
export default definePlugin({
  name: 'crontab',
  examples,
  namespaces: ['crontab', 'crontab-result'],
  requires: [Tasks, Tokens, History],
  optional: [WorkerRuns, Owners, Holdings],
  brings: ['retention'],
  config,
  migrations,
  // A job runs with the rights of the token that wrote it.
  guards: { crontab: 'secret', crontab_result: 'data', crontab_result_usage: 'counter' },
  permissions,

  setup(kernel) {
    const { clock, config: settings, hooks } = kernel;
    const { crontab, runs, scheduler, claims, begin } = createCrontab(kernel);
    let hasBegun = false;
    const { jobs, results } = crontab;
    kernel.use(History).keep({
      ...ARRIVED,
      removeUpTo: (run_time_to, proceed) => results.remove(filterOf([{ run_time_to }]), proceed),
    });

    hooks.methods.tap((methods) => {
      addJobMethods(methods, crontab);
      addResultMethods(methods, crontab);
    });
    hooks.prepare.tap(() => {
      kernel.useOptional(Owners)?.register({
        kind: 'job',
        list: (owner) => crontab.store.namesOf(owner),
      });
      kernel.useOptional(Holdings)?.register(jobsHeld(settings));
    });
    let serves = false;
    hooks.start.tap(() => {
      serves = true;
    });
    hooks.ready.tap(() => {
      clock.timeout(() => {
        hasBegun = true;
        void begin();
      }, BEGIN_MS);
      kernel.every('records beyond max_result_bytes', TRIM_MS, () =>
        results.trim(settings.max_result_bytes, crontab.proceed),
      );
      kernel.every('changed jobs', settings.refresh_interval_ms, async () => {
        await jobs.refresh();
        scheduler.wake();
      });
    });
    hooks.reload.tap(async () => {
      if (!hasBegun) return;
      await jobs.reload();
      scheduler.wake();
    });
    hooks.stop.tap(async () => {
      await scheduler.settled();
      await runs.settled();
      // A command has claimed none, and its database may be empty.
      if (serves) await claims.release();
    });
  },
});
