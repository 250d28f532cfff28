import { readFile, stat } from 'node:fs/promises';

/** An entry of `/etc/passwd`. */
interface User {
  name: string;
  gid: number;
  home: string;
}

/** The types of Node leave it out. */
type WithInitgroups = NodeJS.Process & { initgroups(user: string, extraGroup: number): void };

async function userOf(uid: number): Promise<User | undefined> {
  const text = await readFile('/etc/passwd', 'utf8').catch(() => '');
  for (const line of text.split('\n')) {
    const [name = '', , id, gid, , home = '/'] = line.split(':');
    if (id === `${uid}`) return { name, gid: Number(gid), home };
  }
  return undefined;
}

/** User of the process: not root to begin with, root still, or the user that it has become. */
export type ProcessUser = { kind: 'other' } | { kind: 'root' } | { kind: 'user'; name: string };

/**
 * Makes a process of root that of the owner of its configuration, with the groups of that user, for good: anyone who may
 * write the file decides what the agent does, and must not be root by it. A file of root's leaves root.
 */
export async function dropRoot(config: string): Promise<ProcessUser> {
  if (process.getuid?.() !== 0) return { kind: 'other' };
  // A missing file is reported when it is read.
  const owner = await stat(config).catch(() => undefined);
  if (!owner?.uid) return { kind: 'root' };
  const user = await userOf(owner.uid);
  const gid = user?.gid || owner.gid || owner.uid;
  if (user) (process as WithInitgroups).initgroups(user.name, gid);
  else process.setgroups?.([gid]);
  process.setgid?.(gid);
  process.setuid?.(owner.uid);
  const name = user?.name ?? `${owner.uid}`;
  // Programs of tasks find their place by these.
  Object.assign(process.env, { HOME: user?.home ?? '/', USER: name, LOGNAME: name });
  return { kind: 'user', name };
}
