import type { Server } from '../../frame/server.ts';
import type { Alert } from './types.ts';

export type AlertVerb = 'ack' | 'silence' | 'write' | 'read';

/** Tells whether the token may do this with the alert: the right holds for its machine, or everywhere. */
export const mayWith = (
  { covers }: Pick<Server, 'covers'>,
  verb: AlertVerb,
  { subject }: Pick<Alert, 'subject'>,
): boolean => covers('alert', verb, subject.kind === 'agent' ? subject.id : '');

/** Tells whether the token may do this everywhere. */
export const mayAll = ({ covers }: Pick<Server, 'covers'>, verb: AlertVerb): boolean =>
  covers('alert', verb, '');
