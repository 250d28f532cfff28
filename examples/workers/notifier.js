// Tells a chat when a machine stops reporting and when it is back, and answers "/status" in that chat.
// Rights of env.token, and env: README.md.

const SILENT_MS = 30_000;
const KEY = 'silent';

/** The value of a call. Errors of calls do not reject: without this they would go unnoticed. */
async function call(method, params) {
  const { result, error } = await svc(method, params);
  if (error) throw new Error(`${method}: ${error.message}`);
  return result;
}

async function silentAgents({ token, silent_ms = SILENT_MS }) {
  const { uuids } = await call('svc-server_list_all_agent_uuid', { token });
  const fields = ['cpu_usage'];
  const rows = await call('agent_dynamic_summary_multi_last_query', { token, uuids, fields });
  const oldest = Date.now() - Number(silent_ms);
  const heard = new Set(rows.filter((row) => row.timestamp >= oldest).map((row) => row.uuid));
  return { uuids, silent: uuids.filter((uuid) => !heard.has(uuid)) };
}

async function send({ api_url, bot_token, chat_id }, text) {
  const response = await fetch(`${api_url}/bot${bot_token}/sendMessage`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ chat_id, text }),
  });
  const { ok, description } = await response.json();
  if (!ok) throw new Error(`sendMessage: ${description ?? response.status}`);
}

const lines = (word, uuids) => uuids.map((uuid) => `${word}: ${uuid}`);

export default {
  // What was told is kept in the key-value store: this context may go at any time.
  async onCron(_params, env) {
    const place = { token: env.token, namespace: env.namespace, key: KEY };
    const before = new Set((await call('kv_get_value', place)) ?? []);
    const { silent } = await silentAgents(env);
    const text = [
      ...lines(
        'silent',
        silent.filter((uuid) => !before.has(uuid)),
      ),
      ...lines(
        'back',
        [...before].filter((uuid) => !silent.includes(uuid)),
      ),
    ];
    if (text.length > 0) {
      await send(env, text.join('\n'));
      await call('kv_set_value', { ...place, value: silent });
    }
    return { told: text.length };
  },

  /** The chat's webhook. */
  async onRoute(request, env) {
    const secret = request.headers.get('x-telegram-bot-api-secret-token');
    if (!env.webhook_secret || secret !== env.webhook_secret)
      return new Response('Forbidden', { status: 403 });
    const { message } = await request.json();
    if (message?.text !== '/status' || String(message.chat?.id) !== String(env.chat_id))
      return Response.json({});
    const { uuids, silent } = await silentAgents(env);
    await send(env, `${uuids.length - silent.length} of ${uuids.length} machines report`);
    return Response.json({});
  },
};
