import { spawn } from 'node:child_process';
import { randomBytes, randomUUID } from 'node:crypto';
import { existsSync, readFileSync, unwatchFile, watchFile, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { isDeepStrictEqual } from 'node:util';
import { root } from './runtime.mjs';

const longestPause_ms = 60_000;

/** Starts the agent of this machine and keeps it running as long as this process lives. */
export async function runAgent(app, data) {
  const config = join(data, 'agent.toml');
  if (!existsSync(config)) await writeAgentConfig(app, config);
  else {
    const text = readFileSync(config, 'utf8');
    const credential = await credentialIn(text, app);
    if (!credential) {
      const advice = 'delete it and start again for a new one';
      process.stdout.write(
        `Bundled agent not started: ${config} is for another server (${advice}).\n`,
      );
      return;
    }
    followAddress(config, socketUrl(app));
    await letListen(app, credential, valueIn(text, 'agent_uuid'));
  }
  let stopping = false;
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => (stopping = true));
  void keepRunning(config, () => stopping);
}

/** Starts the agent again whenever it ends, and at once when its file changes: what is allowed there holds without a restart of the server. */
async function keepRunning(config, isStopping) {
  let pause_ms = 1000;
  while (!isStopping()) {
    const begun = Date.now();
    const file = watched(config);
    const agent = start(config);
    const status = await Promise.race([agent.closed, file.changed]);
    if (status === CHANGED) {
      agent.stop();
      await agent.closed;
    } else if (!isStopping()) {
      pause_ms =
        Date.now() - begun > longestPause_ms ? 1000 : Math.min(pause_ms * 2, longestPause_ms);
      process.stderr.write(
        `Bundled agent ended (status ${status}); starting it again in ${pause_ms / 1000} s.\n`,
      );
      await Promise.race([pause(pause_ms, undefined, { ref: false }), file.changed]);
    }
    file.forget();
  }
}

function start(config) {
  const tether = pathToFileURL(join(root, 'scripts', 'tether.mjs')).href;
  const main = join(root, 'agent', 'src', 'main.ts');
  const agent = spawn(process.execPath, ['--import', tether, main, '-c', config], {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  const closed = new Promise((done) => {
    agent.on('error', (error) => {
      process.stderr.write(`Bundled agent: ${error.message}\n`);
      // A program that was not started has no end.
      if (agent.pid === undefined) done(null);
    });
    agent.on('close', done);
  });
  return { closed, stop: () => agent.kill('SIGTERM') };
}

const CHANGED = 'changed';
const LOOK_EVERY_MS = 1000;

/** Watches a file; `changed` resolves when it is written. */
function watched(path) {
  const { promise: changed, resolve } = Promise.withResolvers();
  const onChange = (now, before) => {
    if (now.mtimeMs !== before.mtimeMs && now.mtimeMs !== 0) resolve(CHANGED);
  };
  watchFile(path, { interval: LOOK_EVERY_MS, persistent: false }, onChange);
  return { changed, forget: () => unwatchFile(path, onChange) };
}

/** Writes the address of the server into the file of the agent: it may listen elsewhere than at the last start. An address that is not of this machine was written by its operator. */
function followAddress(config, url) {
  const text = readFileSync(config, 'utf8');
  const [, current] = /^\s*ws_url\s*=\s*"([^"]*)"/m.exec(text) ?? [];
  if (current === url || !/^wss?:\/\/(?:127\.|\[::1\])/.test(current ?? '')) return;
  const followed = text
    .replace(current, url)
    .replace(/^ignore_cert = .*$/m, `ignore_cert = ${url.startsWith('wss:')}`);
  writeFileSync(config, followed);
}

const valueIn = (text, key) => new RegExp(`^\\s*${key}\\s*=\\s*"([^"]*)"`, 'm').exec(text)?.[1];

/** The token that the file names; undefined where the file's server UUID is not this server's, or the token is no longer known. */
async function credentialIn(text, app) {
  if (valueIn(text, 'server_uuid') !== (await app.call('svc-server_uuid', {}))) return undefined;
  const { tokens } = await app.call('token_list_all_tokens', {});
  const key = valueIn(text, 'token')?.split(':')[0];
  return tokens.find(({ token_key }) => token_key === key);
}

/** Rights of a credential that an earlier version made: the reports of this one agent. */
const REPORTS = [
  { static_monitoring: 'write' },
  { dynamic_monitoring: 'write' },
  { dynamic_monitoring_summary: 'write' },
];
const TASKS = [{ task: 'listen' }, { task: { write: '*' } }];

/** Rights of an agent's credential: it may write the reports of this one agent and, where its file allows any, take its tasks (clients.md §2.10). */
export const agentLimits = (uuid, hasTasks = true) => [
  { scopes: [{ agent_uuid: uuid }], permissions: [...REPORTS, ...(hasTasks ? TASKS : [])] },
];

const hasTasks = (app) => app.kernelOf('task') !== undefined;

/** A credential as an earlier version made it gets the right to tasks; one that its operator changed stays. */
async function letListen(app, { token_key, token_limit }, uuid) {
  if (!hasTasks(app) || !isDeepStrictEqual(token_limit, agentLimits(uuid, false))) return;
  await app.call('token_edit', { target_token: token_key, limit: agentLimits(uuid) });
}

async function writeAgentConfig(app, path) {
  const uuid = randomUUID();
  const { key, secret } = await app.call('token_create', {
    token_creation: {
      username: `[agent]:${uuid}`,
      password: randomBytes(24).toString('hex'),
      token_limit: agentLimits(uuid, hasTasks(app)),
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
) => `# Made on the first start for the agent of this machine, which then takes no tasks and opens no terminals:
# "npx svc-server allow-tasks web_shell" allows terminals, also while it runs.
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
