import { chmodSync, existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { Complaint, type Surroundings } from './io.ts';

/** One server that the user has logged in to. */
export interface Login {
  readonly url: string;
  /** `key:secret` or `username|password` */
  readonly token: string;
  /** End of a session, Unix ms. */
  readonly ends_at?: number;
}

interface File {
  /** The URL of the last login. */
  readonly current: string;
  readonly logins: readonly Login[];
}

/** `svc/credentials.json` in the folder of configurations. */
export function credentialFile({ env }: Surroundings): string {
  const folder = env['XDG_CONFIG_HOME'] || join(env['HOME'] ?? homedir(), '.config');
  return join(folder, 'svc', 'credentials.json');
}

/** The login for a URL, by default the last one. @throws Complaint without one, and when it is over */
export function loginFor(io: Surroundings, url: string | undefined): Login {
  const { current, logins } = read(io);
  const wanted = url === undefined ? current : plain(url);
  const login = logins.find((one) => one.url === wanted);
  const isOver = login?.ends_at !== undefined && login.ends_at < Date.now();
  if (isOver) throw new Complaint(`the login to ${login.url} is over: svc login ${login.url}`);
  if (login) return login;
  throw new Complaint(`not logged in${url ? ` to ${url}` : ''}: svc login ${url ?? 'URL'}`);
}

/** Keeps a login, readable by its owner alone. */
export function saveLogin(io: Surroundings, login: Login): void {
  const file = credentialFile(io);
  const others = read(io).logins.filter(({ url }) => url !== login.url);
  const text = JSON.stringify({ current: login.url, logins: [...others, login] }, null, 2);
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  writeFileSync(`${file}.new`, `${text}\n`, { mode: 0o600 });
  // A file left by an interrupted run keeps its mode.
  chmodSync(`${file}.new`, 0o600);
  renameSync(`${file}.new`, file);
}

/** The address as it is kept: without a slash at the end. @throws Complaint for what is no address */
export function plain(url: string): string {
  const full = /^\w+:\/\//.test(url) ? url : `http://${url}`;
  const address = URL.canParse(full) ? new URL(full) : undefined;
  if (!address || !/^(?:https?|wss?):$/.test(address.protocol))
    throw new Complaint(`'${url}' is no address: give one like https://svc.example.net`, 2);
  if (address.username || address.search)
    throw new Complaint('give the address alone; the credential is asked for', 2);
  return address.href.replace(/\/$/, '');
}

function read(io: Surroundings): File {
  const file = credentialFile(io);
  if (!existsSync(file)) return { current: '', logins: [] };
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as File;
  } catch (error) {
    throw new Complaint(
      `${file}: ${(error as Error).message}; svc login writes it anew once it is gone`,
    );
  }
}
