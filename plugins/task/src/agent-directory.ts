import { type Messaging, type Payload, type Static, Type } from '@svc/plugin-sdk';
import { Directory, type DirectoryEntry, directoryTopic } from '@svc/plugin-sdk/util';

/** An agent and the Unix ms of its registration; greater than that of every earlier registration. */
const Registered = Type.Tuple([Type.String(), Type.Number()]);
export type Registered = Payload<Static<typeof Registered>>;

const AgentSessions = directoryTopic('task.sessions', Registered, Type.String());

export interface AgentDirectoryOptions {
  readonly messaging: Messaging;
  readonly stopping: AbortSignal;
  readonly own: () => readonly Registered[];
  /** Unix ms of the agent's registration on this server. */
  readonly ownSince: (uuid: string) => number | undefined;
  /** Another server has a later registration of this agent. */
  readonly displaced: (uuid: string) => void;
  /** Another server lost the agent. */
  readonly closed: (uuid: string) => void;
}

/** Creates the directory of the agents that other servers have. */
export function createAgentDirectory(
  options: AgentDirectoryOptions,
): Directory<Registered, string> {
  const { messaging, ownSince, displaced, closed: lost } = options;
  messaging.subscribe(AgentSessions, ({ closed }, { own }) => {
    if (!own) for (const uuid of closed ?? []) lost(uuid);
  });
  /** The later registration wins. Of two with the same time the greater server id wins, on every server alike. */
  const isNewer = (
    [uuid, since]: Registered,
    server: string,
    known?: DirectoryEntry<Registered>,
  ): boolean => {
    const mine = ownSince(uuid);
    const { bus } = messaging;
    if (mine !== undefined) return since > mine || (since === mine && server > bus.id);
    if (!known || known.server === server) return true;
    const [, before] = known.entry;
    return since > before || (since === before && server > known.server);
  };
  return new Directory({
    ...options,
    topic: AgentSessions,
    keyOf: (entry) => (typeof entry === 'string' ? entry : entry[0]),
    isNewer,
    opened: ([uuid]) => displaced(uuid),
  });
}
