import { type Payload, type Static, Type } from '@svc/plugin-sdk';
import { Int64 } from '@svc/plugin-sdk/schemas';
import { directoryTopic } from '@svc/plugin-sdk/util';

/** One terminal: its agent (lower-case hyphenated), its id and the task that opened it. */
const Place = Type.Object({ agentUuid: Type.String(), terminalId: Type.String(), taskId: Int64 });
export type Place = Payload<Static<typeof Place>>;

/** The name of a terminal among all. */
export const keyOf = ({ agentUuid, terminalId }: Pick<Place, 'agentUuid' | 'terminalId'>): string =>
  `${agentUuid}/${terminalId}`;

/** The terminals that are open on other servers. */
export const OpenTerminals = directoryTopic('terminal.open', Place, Place);
