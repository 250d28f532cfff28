/**
 * Makes a credential for one agent and writes the agent's configuration for both servers:
 * `agent-config.mjs REPORT_URL TASK_URL SUPER_TOKEN_FILE FILE`. The two share their tokens, so one credential is enough.
 */
import { randomUUID } from 'node:crypto';
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';

const DEADLINE_MS = 60_000;
const tasks = ['ping', 'tcp_ping', 'http_ping', 'dns', 'version'];

const [reportUrl, taskUrl, tokenFile, file] = process.argv.slice(2);
if (!file) throw new Error('usage: agent-config.mjs REPORT_URL TASK_URL SUPER_TOKEN_FILE FILE');

const superToken = readFileSync(tokenFile, 'utf8').trim();
const agent = randomUUID();
const report_uuid = await whenUp(reportUrl);
const task_uuid = await whenUp(taskUrl);
const { key, secret } = await call(reportUrl, 'token_create', [
  superToken,
  { token_limit: limits() },
]);

// Whole or not at all: a start that is broken off here is not to leave half a file to the next one.
writeFileSync(`${file}.new`, text(), { mode: 0o600 });
renameSync(`${file}.new`, file);
process.stdout.write(`Agent UUID: ${agent}\n`);

function limits() {
  const permissions = [
    { static_monitoring: 'write' },
    { dynamic_monitoring: 'write' },
    { dynamic_monitoring_summary: 'write' },
    { task: 'listen' },
    ...tasks.map((kind) => ({ task: { write: kind } })),
  ];
  return [{ scopes: [{ agent_uuid: agent }], permissions }];
}

function text() {
  return `log_level = "info"
agent_uuid = "${agent}"
ntp_server = ""

[[server]]
name = "report-host"
server_uuid = "${report_uuid}"
token = "${key}:${secret}"
ws_url = "${reportUrl.replace(/^http/, 'ws')}/svc/rpc"
allow_task = false

[[server]]
name = "task-host"
server_uuid = "${task_uuid}"
token = "${key}:${secret}"
ws_url = "${taskUrl.replace(/^http/, 'ws')}/svc/rpc"
allow_report = false
allow_task = true
allow_task_type = ${JSON.stringify(tasks)}
`;
}

/** @returns the UUID of the server once it answers */
async function whenUp(url) {
  for (const until = Date.now() + DEADLINE_MS; ; ) {
    try {
      return await call(url, 'svc-server_uuid', []);
    } catch (error) {
      if (Date.now() > until) throw error;
      await pause(200);
    }
  }
}

async function call(url, method, params) {
  const response = await fetch(`${url}/svc/rpc`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    signal: AbortSignal.timeout(10_000),
  });
  const { result, error } = await response.json();
  if (error) throw new Error(`${method}: ${error.message}`);
  return result;
}
