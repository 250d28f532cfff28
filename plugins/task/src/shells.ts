import type { ShellProof, Tasks } from './api.ts';
import type { TaskRow, TaskStore } from './store/tasks.ts';

const SHELL = 'web_shell';
const INT64_MAX = 2n ** 63n - 1n;

/** Questions about `web_shell` tasks. */
export const createShells = (store: TaskStore): Pick<Tasks, 'shell' | 'awaitedShells'> => ({
  async shell(id, uuid, token): Promise<ShellProof> {
    const row = id > INT64_MAX ? undefined : await store.find(id);
    if (!row || row.uuid !== uuid || row.token !== token || row.success !== null) return 'unknown';
    return row.type_name === SHELL ? { id: row.id, terminalId: terminalOf(row) } : 'other type';
  },

  async awaitedShells(uuid, terminalId) {
    const rows = await store.running(uuid, SHELL);
    return rows.filter((row) => terminalOf(row) === terminalId).map(({ id }) => id);
  },
});

const terminalOf = ({ type }: TaskRow): string =>
  (JSON.parse(type) as { web_shell: { terminal_id: string } }).web_shell.terminal_id;
