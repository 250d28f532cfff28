import type { LookupAddress } from 'node:dns';
import type { Clock } from './clock.ts';
import type { AgentConfig, ServerConfig } from './config.ts';
import { Slots } from './limits.ts';
import type { Logger } from './log.ts';

/** Network tasks that run at a time (clients.md §2.8). */
const NETWORK_SLOTS = 10;

/** Shared by the tasks of all servers. */
export interface TaskRuntime {
  readonly clock: Clock;
  readonly config: AgentConfig;
  readonly config_path: string;
  readonly network: Slots;
  /** Ids of the open terminals. */
  readonly terminals: Set<string>;
  /** Program for the kind `ping`. */
  readonly ping_program: string;
  /** The system's addresses of a name, the preferred ones first. */
  readonly lookup: (name: string) => Promise<LookupAddress[]>;
  /** Makes the agent start again from its file, 300 ms from now. */
  restart(): void;
  readonly isRestarting: boolean;
  /** Cancels a restart that has not happened yet. */
  close(): void;
}

/** Time for the result of an `edit_config` to leave before the restart (clients.md §2.5). */
const RESTART_AFTER_MS = 300;

export interface RuntimeOptions {
  readonly clock: Clock;
  readonly config: AgentConfig;
  readonly config_path: string;
  readonly ping_program?: string;
  readonly lookup?: TaskRuntime['lookup'];
  /** Ends this agent so that it is started again. */
  readonly onRestart: () => void;
}

/** The runtime of an agent that has just started. */
export function createRuntime({ onRestart, ...options }: RuntimeOptions): TaskRuntime {
  let isRestarting = false;
  let cancel = () => {};
  return {
    ping_program: 'ping',
    // Not imported: an agent without such tasks looks up no name by this.
    lookup: async (name) => (await import('node:dns/promises')).lookup(name, { all: true }),
    ...options,
    network: new Slots(NETWORK_SLOTS),
    terminals: new Set(),
    get isRestarting() {
      return isRestarting;
    },
    restart() {
      if (isRestarting) return;
      isRestarting = true;
      cancel = options.clock.after('restart', RESTART_AFTER_MS, onRestart);
    },
    close: () => cancel(),
  };
}

/** The second argument of a task handler. */
export interface TaskContext {
  readonly task_id: number;
  readonly task_token: string;
  readonly server: ServerConfig;
  readonly agent_uuid: string;
  readonly log: Logger;
  readonly runtime: TaskRuntime;
  /** Aborts when the task's time is over or the agent stops; the handler ends soon after. */
  readonly signal: AbortSignal;
}

/** Runs one kind of task. Takes its content (task.md §2), returns the content of `task_event_result`, throws to fail. */
export type TaskHandler = (content: unknown, context: TaskContext) => Promise<unknown>;
