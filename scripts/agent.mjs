import { spawn } from 'node:child_process';
import { randomBytes, randomUUID } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { root } from './runtime.mjs';

const longestPause_ms = 60_000;

/** Starts the agent of this machine and keeps it running as long as this process lives. */
export async function runAgent(app, data) {
  const config = join(data, 'agent.toml');
  if (!existsSync(config)) await writeAgentConfig(app, config);
  else if (await isForeign(app, config)) {
    const advice = 'delete it and start again for a new one';
    process.stdout.write(
      `Bundled agent not started: ${config} is for another server (${advice}).\n`,
    );
    return;
  } else followAddress(config, socketUrl(app));
  let stopping = false;
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => (stopping = true));
  keepRunning(config, () => stopping, 1000);
}

function keepRunning(config, isStopping, pause_ms) {
  const tether = pathToFileURL(join(root, 'scripts', 'tether.mjs')).href;
  const main = join(root, 'agent', 'src', 'main.ts');
  const begun = Date.now();
  const agent = spawn(process.execPath, ['--import', tether, main, '-c', config], {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  agent.on('error', (error) => process.stderr.write(`Bundled agent: ${error.message}\n`));
  agent.on('close', (status) => {
    if (isStopping()) return;
    const next_ms =
      Date.now() - begun > longestPause_ms ? 1000 : Math.min(pause_ms * 2, longestPause_ms);
    process.stderr.write(
      `Bundled agent ended (status ${status}); starting it again in ${next_ms / 1000} s.\n`,
    );
    setTimeout(() => isStopping() || keepRunning(config, isStopping, next_ms), next_ms).unref();
  });
}

/** The server may listen elsewhere than at the last start. An address that is not of this machine was written by its operator. */
function followAddress(config, url) {
  const text = readFileSync(config, 'utf8');
  const [, known] = /^\s*ws_url\s*=\s*"([^"]*)"/m.exec(text) ?? [];
  if (known === url || !/^wss?:\/\/(?:127\.|\[::1\])/.test(known ?? '')) return;
  const followed = text
    .replace(known, url)
    .replace(/^ignore_cert = .*$/m, `ignore_cert = ${url.startsWith('wss:')}`);
  writeFileSync(config, followed);
}

/** True when the file's server UUID is not this server's, or its credential is no longer known. */
async function isForeign(app, config) {
  const text = readFileSync(config, 'utf8');
  const value = (key) => new RegExp(`^\\s*${key}\\s*=\\s*"([^"]*)"`, 'm').exec(text)?.[1];
  if (value('server_uuid') !== (await app.call('svc-server_uuid', {}))) return true;
  const known = await app.call('token_list_all_tokens', {});
  const key = value('token')?.split(':')[0];
  return !known.tokens.some((token) => token.token_key === key);
}

/** What an agent's credential may do: write the reports of this one agent, nothing else (clients.md §2.10). */
export const agentLimits = (uuid) => [
  {
    scopes: [{ agent_uuid: uuid }],
    permissions: [
      { static_monitoring: 'write' },
      { dynamic_monitoring: 'write' },
      { dynamic_monitoring_summary: 'write' },
    ],
  },
];

async function writeAgentConfig(app, path) {
  const uuid = randomUUID();
  const { key, secret } = await app.call('token_create', {
    token_creation: {
      username: `[agent]:${uuid}`,
      password: randomBytes(24).toString('hex'),
      token_limit: agentLimits(uuid),
    },
  });
  const server = { uuid: await app.call('svc-server_uuid', {}), url: socketUrl(app) };
  writeFileSync(path, agentConfig(uuid, server, `${key}:${secret}`), { mode: 0o600 });
}

/** The configuration of an agent without tasks for one server. */
export const agentConfig = (
  uuid,
  server,
  token,
) => `# Made on the first start, for the agent of this machine.
log_level = "warn"
agent_uuid = "${uuid}"
ntp_server = ""

[[server]]
name = "local"
server_uuid = "${server.uuid}"
token = "${token}"
ws_url = "${server.url}"
allow_task = false
ignore_cert = ${server.url.startsWith('wss:')}
`;

/** A wildcard address is reached over loopback. The path tells the agent the word of a brand. */
function socketUrl(app) {
  const address = new URL(app.url.replace(/^http/, 'ws'));
  if (address.hostname === '0.0.0.0') address.hostname = '127.0.0.1';
  if (address.hostname === '[::]') address.hostname = '[::1]';
  const { word = 'svc' } = app.kernelOf('server-info')?.brand ?? {};
  if (word !== 'svc') address.pathname = `/${word}/rpc`;
  return address.href;
}
