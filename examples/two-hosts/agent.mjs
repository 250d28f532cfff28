/**
 * Runs an agent of both servers with the configuration FILE: `agent.mjs REPORT_URL TASK_URL SUPER_TOKEN_FILE FILE`.
 * Where there is none it makes a credential and writes it first; the two share their tokens, so one credential is enough.
 */
import { randomUUID } from 'node:crypto';
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';

// Both servers start at the same time, perhaps on a busy machine. This deadline is as long as theirs.
const DEADLINE_MS = 300_000;
const tasks = ['ping', 'tcp_ping', 'http_ping', 'dns', 'version'];

const [reportUrl, taskUrl, tokenFile, file] = process.argv.slice(2);
if (!file) throw new Error('usage: agent.mjs REPORT_URL TASK_URL SUPER_TOKEN_FILE FILE');

const agent = randomUUID();
if (!existsSync(file)) await configure();
// The agent runs in this process, so a signal ends it, or the writing of its configuration, at any time.
process.argv.splice(2, Number.POSITIVE_INFINITY, '-c', file);
await import('../../agent/bin/svc-agent.js');

async function configure() {
  const superToken = readFileSync(tokenFile, 'utf8').trim();
  const uuids = [await whenUp(reportUrl), await whenUp(taskUrl)];
  const wanted = { token_limit: limits() };
  const { key, secret } = await call(reportUrl, 'token_create', [superToken, wanted]);
  const token = `${key}:${secret}`;
  await until(() => call(taskUrl, 'token_get', [token]));
  // Renamed when it is complete, so that an interrupted start leaves no half file to the next one.
  writeFileSync(`${file}.new`, text(uuids, token), { mode: 0o600 });
  renameSync(`${file}.new`, file);
  process.stdout.write(`Agent UUID: ${agent}\n`);
}

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

function text([report_uuid, task_uuid], token) {
  return `log_level = "info"
agent_uuid = "${agent}"
ntp_server = ""

[[server]]
name = "report-host"
server_uuid = "${report_uuid}"
token = "${token}"
ws_url = "${reportUrl.replace(/^http/, 'ws')}/svc/rpc"
allow_task = false

[[server]]
name = "task-host"
server_uuid = "${task_uuid}"
token = "${token}"
ws_url = "${taskUrl.replace(/^http/, 'ws')}/svc/rpc"
allow_report = false
allow_task = true
allow_task_type = ${JSON.stringify(tasks)}
`;
}

/** @returns the UUID of the server once it answers */
function whenUp(url) {
  return until(() => call(url, 'svc-server_uuid', []));
}

/** @returns the first answer that is no failure */
async function until(ask) {
  for (const end = Date.now() + DEADLINE_MS; ; await pause(200)) {
    try {
      return await ask();
    } catch (error) {
      if (Date.now() > end) throw error;
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
