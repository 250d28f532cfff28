/**
 * Order in which the tasks of an agent are sent: first those that a person waits for at a screen, then others, then those
 * of jobs. Within one turn they go in the order in which they were accepted.
 */
export const TURNS = ['first', 'usual', 'last'] as const;
export type Turn = (typeof TURNS)[number];

const FIRST = new Set(['web_shell', 'version', 'read_config', 'edit_config']);

/** The turn of a task that no job made. */
export const turnOf = (typeName: string, isBlocking: boolean): Turn =>
  isBlocking || FIRST.has(typeName) ? 'first' : 'usual';
