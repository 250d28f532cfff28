// Deletes old tasks, results of jobs and results of scripts. Run by a cron job; params may override the limits.
// Rights of env.token, and env: README.md.

const DAY_MS = 86_400_000;
const KINDS = ['task', 'crontab_result', 'js_result'];

/** One deletion for each kind: everything before `time`. */
const deletions = {
  task: (token, time) => svc('task_delete', { token, conditions: [{ timestamp_to: time }] }),
  crontab_result: (token, time) =>
    svc('crontab-result_delete', { token, query: { condition: [{ run_time_to: time }] } }),
  js_result: (token, time) =>
    svc('js-result_delete', {
      token,
      query: { condition: [{ start_time_to: time }] },
    }),
};

/** Limits in milliseconds, as the keys `database_limit_…` of namespace `global` say; 0: kept for ever. */
async function limits(token) {
  const namespace_key = KINDS.map((kind) => ({
    namespace: 'global',
    key: `database_limit_${kind}`,
  }));
  const { result = [], error } = await svc('kv_get_multi_value', { token, namespace_key });
  if (error) svcLog.warn('retention', `limits cannot be read: ${error.message}`);
  return Object.fromEntries(KINDS.map((kind, at) => [kind, Number(result[at]?.value ?? DAY_MS)]));
}

export default {
  async onCron(params, env) {
    const wanted = { ...(await limits(env.token)), ...params };
    const done = {};
    for (const kind of KINDS.filter((each) => wanted[each] > 0)) {
      const { result, error } = await deletions[kind](env.token, Date.now() - wanted[kind]);
      done[kind] = error ? error.message : result.deleted;
    }
    return done;
  },

  /** The same by hand. */
  onCall(params, env) {
    return this.onCron(params, env);
  },
};
