import type { Server } from '../frame/index.ts';

/** Tells whether the token may run tasks of this kind there, and read what comes back. */
export const mayRun = ({ has, covers }: Server, uuid: string, kind: string): boolean =>
  has('task') && covers('task', 'create', uuid, kind) && covers('task', 'read', uuid, kind);

/** Tells whether it may open a terminal there. */
export const mayOpen = ({ has, covers }: Server, uuid: string): boolean =>
  has('terminal') &&
  covers('terminal', 'connect', uuid) &&
  covers('task', 'create', uuid, 'web_shell');
