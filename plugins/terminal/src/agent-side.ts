import type { Logger } from '@svc/plugin-sdk';
import type { Upgrade } from '@svc/plugin-sdk/http';
import type { Tasks } from '@svc/plugin-task/api';
import { LIMITS } from './limits.ts';
import type { Place } from './place.ts';
import { type TerminalQuery, uuidOf } from './query.ts';
import {
  databaseFailed,
  denied,
  invalid,
  notAUuid,
  type Refusal,
  refusalText,
  taken,
  tooMany,
} from './refusal.ts';
import type { Session } from './session.ts';
import type { Sessions } from './sessions.ts';

export interface AgentSideOptions {
  readonly tasks: Tasks;
  readonly sessions: Sessions;
  readonly log: Logger;
}

/**
 * The agent proves itself with its task (terminal.md §4, §4.1). Refused before the upgrade: a message would be typed
 * into its shell (clients.md §2.9).
 */
export async function agentSide(
  upgrade: Upgrade,
  query: TerminalQuery,
  { tasks, sessions, log }: AgentSideOptions,
): Promise<void> {
  const place = await placeOf(query, tasks, log);
  const reserved = 'error_id' in place ? place : reserve(sessions, place);
  if ('error_id' in reserved) {
    const headers = { 'content-type': 'application/json' };
    upgrade.refuse(reserved.status, refusalText(reserved), headers);
    return;
  }
  try {
    reserved.open(await upgrade.accept(LIMITS));
  } catch (error) {
    reserved.release();
    log.debug('agent left during the handshake', { error });
  }
}

function reserve(sessions: Sessions, place: Place): Session | Refusal {
  const reserved = sessions.reserve(place);
  if (reserved === 'taken') return taken('a session of this terminal is open');
  if (reserved === 'full') return tooMany('the agent has too many sessions');
  return reserved;
}

async function placeOf(
  { agentUuid, taskId, taskToken, terminalId }: TerminalQuery,
  tasks: Tasks,
  log: Logger,
): Promise<Place | Refusal> {
  if (terminalId === undefined) return invalid('terminal_id is missing');
  const uuid = uuidOf(agentUuid);
  if (uuid === undefined) return notAUuid('agent_uuid is not a UUID');
  try {
    const task = await tasks.shell(taskId ?? 0n, uuid, taskToken ?? '');
    if (task === 'unknown') return denied('no running task with this id, agent and token');
    if (task === 'other type') return denied('the task is not web_shell');
    if (task.terminalId !== terminalId) return denied('the task is for another terminal');
    return { agentUuid: uuid, terminalId, taskId: task.id };
  } catch (error) {
    log.error('task of a terminal could not be read', { agent_uuid: uuid, error });
    return databaseFailed('the task could not be read');
  }
}
