/** An agent's answer to a kind of task that its file does not allow (clients.md §2.8). */
export const NOT_ALLOWED = 'Permission Denied: Task not allowed';

/** The kind of task that a command makes; undefined for other commands. */
export const kindOf = (command: string): string | undefined =>
  command === 'run' ? 'execute' : command === 'sh' ? 'web_shell' : undefined;

/** Commands to type at a machine, so that it takes tasks of this kind. */
export const howToAllow = (kind: string): string => `at that machine type
  npx svc-server allow-tasks ${kind}    in the folder of the clone, where npm start runs its agent
  sh /opt/svc-agent/install.sh --allow ${kind}    where one line added it`;
