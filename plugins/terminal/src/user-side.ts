import type { Audit } from '@svc/plugin-audit/api';
import { type Auth, type Clock, type Logger, type Principal, RpcError } from '@svc/plugin-sdk';
import type { Origin, Peer, Upgrade } from '@svc/plugin-sdk/http';
import type { Integer } from '@svc/plugin-sdk/sql';
import type { Directory } from '@svc/plugin-sdk/util';
import type { Tasks } from '@svc/plugin-task/api';
import type { Passes } from '@svc/plugin-token/api';
import { LIMITS } from './limits.ts';
import { purposeOf } from './pass.ts';
import { mayConnect } from './permissions.ts';
import { Pipe } from './pipe.ts';
import { keyOf, type Place } from './place.ts';
import { type TerminalQuery, uuidOf } from './query.ts';
import {
  absent,
  databaseFailed,
  denied,
  invalid,
  type Refusal,
  taken,
  turnAway,
} from './refusal.ts';
import type { Relay } from './relay.ts';
import { Session, whenAborted } from './session.ts';
import type { Remote, Sessions } from './sessions.ts';

/** A user who comes before the agent is kept this long (terminal.md §8). */
export const HOLD_MS = 10_000;

export interface UserSideOptions {
  readonly audit: Audit | undefined;
  readonly auth: Auth;
  readonly passes: Passes | undefined;
  readonly clock: Clock;
  readonly log: Logger;
  readonly stopping: AbortSignal;
  readonly tasks: Tasks;
  readonly sessions: Sessions;
  readonly directory: Directory<Place>;
  readonly relay: Relay;
}

const REFUSED = denied('wrong credential, or no terminal permission for this agent');
const DATABASE_FAILED = RpcError.database('').code;

/** A user who may join a terminal. */
interface Admitted {
  readonly origin: Origin;
  readonly caller: Principal;
  readonly agentUuid: string;
  readonly terminalId: string;
}

/** A refused user is upgraded too, so that a front end can show the reason (terminal.md §4). */
export async function userSide(
  upgrade: Upgrade,
  query: TerminalQuery,
  options: UserSideOptions,
): Promise<void> {
  const admitted = await admit(query, upgrade, options);
  const user = await upgrade.accept(LIMITS).catch((error: unknown) => {
    options.log.debug('user left during the handshake', { error });
  });
  if (!user) return;
  if ('error_id' in admitted) turnAway(user, admitted);
  else await attach(user, admitted, options);
}

async function admit(
  { agentUuid, terminalId, token }: TerminalQuery,
  { connection, peerAddress: address }: Upgrade,
  { auth, passes, log }: UserSideOptions,
): Promise<Admitted | Refusal> {
  if (terminalId === undefined) return invalid('terminal_id is missing');
  if (token === undefined) return invalid('token is missing');
  const uuid = uuidOf(agentUuid);
  try {
    const origin = { address, connection, transport: 'ws' } as const;
    const maker = uuid && (await passes?.maker(token, purposeOf(uuid)));
    const caller = maker || (await auth.authenticate(token, origin));
    // Authenticated before the UUID is checked: all these cases get the same answer.
    if (uuid === undefined || !(await auth.allows(caller, mayConnect(uuid)))) return REFUSED;
    return { origin, caller, agentUuid: uuid, terminalId };
  } catch (error) {
    if (!(error instanceof RpcError)) throw error;
    if (error.code !== DATABASE_FAILED) return REFUSED;
    log.error('the credential of a terminal could not be looked at', { error });
    return databaseFailed('the credential could not be looked at');
  }
}

async function attach(user: Peer, admitted: Admitted, options: UserSideOptions): Promise<void> {
  const { caller, agentUuid, origin, terminalId } = admitted;
  const { audit, auth, sessions, directory, log } = options;
  const { ended, release } = auth.hold(caller, [mayConnect(agentUuid)]);
  whenAborted(user.closed, release);
  // From now on what the user types is kept for the agent.
  const input = new Pipe(user);
  const server = directory.get(keyOf(admitted))?.server;
  const there = server === undefined ? undefined : { server };
  const found =
    sessions.find(agentUuid, terminalId) ??
    there ??
    (await held(user, { ...admitted, ended }, options));
  const session = 'server' in found ? await joined(found, admitted, options) : found;
  if ('error_id' in session) turnAway(user, session);
  else if (session.hasUser) turnAway(user, taken('the session has a user'));
  else if (!user.closed.aborted || session !== found) {
    log.info('terminal: user came', { agent_uuid: agentUuid, caller: caller.id });
    const target = `${terminalId} of ${agentUuid}`;
    audit?.record({ method: 'terminal', target, caller, origin });
    session.join(user, input, ended);
  }
}

/** The user's end of a terminal whose agent is connected to another server. That server treats the user like one of its sockets. */
async function joined(
  { server }: Remote,
  { agentUuid, terminalId }: Admitted,
  { relay, clock, log }: UserSideOptions,
): Promise<Session | Refusal> {
  const agent = await relay.join(server, agentUuid, terminalId);
  if (agent === 'taken') return taken('the session has a user');
  if (agent === 'absent') return absent('no session of this terminal is open');
  const session = new Session({
    clock,
    userWait_ms: HOLD_MS,
    over: (reason) => log.info(`terminal: ${reason}`, { agent_uuid: agentUuid, relayed: true }),
  });
  session.open(agent);
  return session;
}

/** Keeps the user while a running task for this terminal exists whose agent has not come yet. */
async function held(
  user: Peer,
  { ended: credential, agentUuid, terminalId }: Admitted & { readonly ended: AbortSignal },
  { sessions, tasks, clock, stopping, log }: UserSideOptions,
): Promise<Session | Remote | Refusal> {
  const over = new AbortController();
  const cancel = clock.timeout(() => over.abort(), HOLD_MS);
  const signals = [over.signal, user.closed, credential, stopping];
  const coming = sessions.wait(agentUuid, terminalId, signals);
  const ended = new Set<Integer>();
  let awaited: readonly Integer[] | undefined;
  const check = () => {
    if (awaited?.every((id) => ended.has(id) || sessions.hasEnded(id))) over.abort();
  };
  // Before the tasks are read: one may end meanwhile.
  const forget = tasks.whenEnded(agentUuid, (id) => {
    ended.add(id);
    check();
  });
  try {
    const asked = tasks.awaitedShells(agentUuid, terminalId).then((ids) => {
      awaited = ids;
      check();
      return coming;
    });
    // Users are joined in order of arrival, however long the database takes to answer each.
    const found = await Promise.race([coming, asked]);
    if (found) return found;
    return credential.aborted ? REFUSED : absent('no session of this terminal is open');
  } catch (error) {
    log.error('tasks of an agent could not be read', { agent_uuid: agentUuid, error });
    return databaseFailed('the tasks of the agent could not be read');
  } finally {
    forget();
    cancel();
    over.abort();
  }
}
