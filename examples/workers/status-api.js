// A public JSON API of the fleet's state: `GET …/` for all machines, `GET …/<uuid>` for one.
// Rights of env.token, and env: README.md.

const ONLINE_MS = 30_000;
const FRESH_MS = 2_000;
const FIELDS = ['cpu_usage', 'used_memory', 'total_memory', 'uptime'];
const HEADERS = { 'access-control-allow-origin': '*', 'cache-control': 'public, max-age=2' };

// Lives as long as this context; many visitors cost one look.
let known = { time: 0, machines: [] };

async function call(method, params) {
  const { result, error } = await svc(method, params);
  if (error) throw new Error(`${method}: ${error.message}`);
  return result;
}

async function machines({ token }) {
  if (Date.now() - known.time < FRESH_MS) return known.machines;
  const { uuids } = await call('svc-server_list_all_agent_uuid', { token });
  const [rows, names] = await Promise.all([
    call('agent_dynamic_summary_multi_last_query', { token, uuids, fields: FIELDS }),
    call('kv_get_multi_value', {
      token,
      namespace_key: uuids.map((namespace) => ({ namespace, key: 'metadata_name' })),
    }),
  ]);
  const latest = new Map(rows.map((row) => [row.uuid, row]));
  const time = Date.now();
  known = {
    time,
    machines: uuids.map((uuid, at) => machine(uuid, latest.get(uuid), names[at], time)),
  };
  return known.machines;
}

const machine = (uuid, row, name, now) => ({
  uuid,
  name: name?.value ?? null,
  online: row !== undefined && now - row.timestamp < ONLINE_MS,
  cpu_percent: row?.cpu_usage ?? null,
  memory_percent: row?.total_memory ? Math.round((100 * row.used_memory) / row.total_memory) : null,
  uptime_s: row?.uptime ?? null,
});

const json = (status, value) => Response.json(value, { status, headers: HEADERS });

export default {
  async onRoute(request, env) {
    if (request.method !== 'GET') return json(405, { error: 'GET only' });
    const [, uuid = ''] =
      /\/worker-route\/[^/]+\/([^/]*)/.exec(new URL(request.url).pathname) ?? [];
    const all = await machines(env);
    if (uuid === '')
      return json(200, { online: all.filter((m) => m.online).length, machines: all });
    const one = all.find((m) => m.uuid === uuid);
    return one ? json(200, one) : json(404, { error: 'unknown machine' });
  },
};
