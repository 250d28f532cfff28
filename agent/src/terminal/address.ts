/** The parts of a `web_shell` task from which the terminal's address is made. */
export interface TerminalTask {
  readonly url: URL;
  readonly terminal_id: string;
  readonly agent_uuid: string;
  readonly task_id: number;
  readonly task_token: string;
}

/**
 * The address that the terminal connects to (clients.md §2.9). The path `/auto_gen` is replaced by `/terminal` on the
 * same host, with the port written out. Any other address is kept, with `terminal_id` set.
 */
export function terminalAddress(task: TerminalTask): string {
  const { url, terminal_id, agent_uuid, task_id, task_token } = task;
  if (url.pathname !== '/auto_gen') {
    const given = new URL(url);
    given.searchParams.set('terminal_id', terminal_id);
    given.hash = '';
    return given.href;
  }
  const port = url.port || (url.protocol === 'wss:' ? '443' : '80');
  const query = new URLSearchParams({
    agent_uuid,
    task_id: `${task_id}`,
    task_token,
    terminal_id,
  });
  return `${url.protocol}//${url.hostname}:${port}/terminal?${query}`;
}
