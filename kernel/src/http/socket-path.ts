import { once } from 'node:events';
import { lstatSync, mkdirSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { dirname } from 'node:path';
import { UserError } from '@svc/plugin-sdk';
import { codeOf } from '@svc/plugin-sdk/util';

/**
 * Makes the parent folder, and removes what a killed server left. Anything but a socket stays, and so does a socket
 * that a process listens on.
 * @throws UserError
 */
export async function clearSocketPath(path: string): Promise<void> {
  mkdirSync(dirname(path), { recursive: true });
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (!found) return;
  if (!found.isSocket()) throw new UserError(`unix_socket_path: ${path} exists and is no socket`);
  if (!(await isDead(path)))
    throw new UserError(
      `unix_socket_path: another server listens on ${path}; give this one a path of its own`,
    );
  rmSync(path, { force: true });
}

/** Tells whether no one listens on a socket. One that does not let this process in, or has no room for it, may be alive. */
async function isDead(path: string): Promise<boolean> {
  const socket = connect(path);
  try {
    await once(socket, 'connect');
    return false;
  } catch (error) {
    return ['ECONNREFUSED', 'ENOENT'].includes(codeOf(error));
  } finally {
    socket.destroy();
  }
}
