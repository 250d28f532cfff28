/** The parts of a `web_shell` task that make the terminal's address. */
export interface TerminalTask {
  readonly url: URL;
  readonly terminal_id: string;
  readonly agent_uuid: string;
  readonly task_id: number;
  readonly task_token: string;
}

/**
 * Where the terminal connects to (clients.md §2.9): a path of exactly `/auto_gen` stands for the server's
 * `/terminal` on that host, with its port written out; any other address is taken with `terminal_id` set.
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
