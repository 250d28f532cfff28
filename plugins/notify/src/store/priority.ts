import type { Message } from '../api.ts';

/** Column `priority` of the outbox: a lower one is sent first. */
export const PRIORITY = { critical: 0, usual: 1, reminder: 2, text: 3 } as const;

/** Returns the priority of a message. An end is never before its opening: they have one group. */
export function priorityOf({ type, severity }: Message): number {
  if (type === 'text' || type === 'test') return PRIORITY.text;
  if (type === 'alert.reminder') return PRIORITY.reminder;
  const isCritical = severity === 'critical' && (type === 'alert.opened' || type === 'digest');
  return isCritical ? PRIORITY.critical : PRIORITY.usual;
}
