import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { nkeys } from '@nats-io/transport-node';
import { freePort } from './ports.ts';

const START_MS = 120_000;

/** Debian's package puts it where only root looks. */
export const natsBinary = ['nats-server', '/usr/sbin/nats-server'].find(
  (path) => spawnSync(path, ['--version']).status === 0,
);

/** A NATS server of a test, on a free loopback port. */
export interface TestNats {
  /** `127.0.0.1:PORT` */
  readonly address: string;
  /** Of its files; removed by `stop`. */
  readonly dir: string;
  /** Ends it as a crash does; `start` begins again on the same port. */
  kill(): Promise<void>;
  start(): Promise<void>;
  stop(): Promise<void>;
}

/** `config`: lines of its configuration file, in which `{dir}` is the directory of `files`. */
export async function startNats(
  config = '',
  files: Readonly<Record<string, string>> = {},
): Promise<TestNats> {
  const dir = mkdtempSync(join(tmpdir(), 'svc-nats-'));
  const file = join(dir, 'nats.conf');
  for (const [name, text] of Object.entries(files)) writeFileSync(join(dir, name), text);
  writeFileSync(file, config.replaceAll('{dir}', dir));
  const port = await freePort();
  let child: ChildProcess | undefined;
  const atExit = () => child?.kill('SIGKILL');
  process.on('exit', atExit);
  const kill = async () => {
    const ending = child;
    child = undefined;
    if (!ending || ending.exitCode !== null) return;
    ending.kill('SIGKILL');
    await once(ending, 'exit');
  };
  const start = async () => {
    const args = ['-a', '127.0.0.1', '-p', String(port), '-c', file];
    child = spawn(natsBinary ?? 'nats-server', args, { stdio: 'ignore' });
    for (const end = Date.now() + START_MS; !(await listens(port)); await pause(20)) {
      if (Date.now() > end) throw new Error('nats-server does not start');
    }
  };
  await start();
  return {
    address: `127.0.0.1:${port}`,
    dir,
    kill,
    start,
    async stop() {
      await kill();
      process.off('exit', atExit);
      rmSync(dir, { recursive: true, force: true });
    },
  };
}

type Kind = 'operator' | 'account' | 'user';

/** Configuration of a NATS that knows its users by signed papers only, and the papers of one user (a creds file). */
export function signedUser(): { config: string; creds: string } {
  const [operator, account, user] = [
    nkeys.createOperator(),
    nkeys.createAccount(),
    nkeys.createUser(),
  ];
  const papers = (of: nkeys.KeyPair, by: nkeys.KeyPair, type: Kind): string => {
    const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
    const claims = {
      jti: type,
      iat: 1_600_000_000,
      iss: by.getPublicKey(),
      sub: of.getPublicKey(),
    };
    const limits = { subs: -1, data: -1, payload: -1, conn: -1, imports: -1, exports: -1 };
    const own = { operator: {}, account: { limits }, user: limits }[type];
    const nats = { type, version: 2, ...own };
    const text = `${part({ typ: 'JWT', alg: 'ed25519-nkey' })}.${part({ ...claims, name: type, nats })}`;
    return `${text}.${Buffer.from(by.sign(Buffer.from(text))).toString('base64url')}`;
  };
  const seed = Buffer.from(user.getSeed()).toString();
  return {
    config: `operator: ${papers(operator, operator, 'operator')}
resolver: MEMORY
resolver_preload: { ${account.getPublicKey()}: ${papers(account, operator, 'account')} }`,
    creds: `-----BEGIN NATS USER JWT-----
${papers(user, account, 'user')}
------END NATS USER JWT------

-----BEGIN USER NKEY SEED-----
${seed}
------END USER NKEY SEED------
`,
  };
}

const listens = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    const end = (answer: boolean) => {
      socket.destroy();
      resolve(answer);
    };
    socket.once('connect', () => end(true));
    socket.once('error', () => end(false));
  });
