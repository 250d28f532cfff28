import type { AgentRegistry } from '@svc/plugin-agent-uuid/api';
import type { Kernel } from '@svc/plugin-sdk';
import type { Tasks } from './api.ts';
import { createCompletions } from './completions.ts';
import { createDispatch, type Dispatch } from './dispatch.ts';
import { createSweep } from './old-tasks.ts';
import { createRoutes } from './routes.ts';
import { createSessions } from './sessions.ts';
import { createOthers } from './sessions-of-others.ts';
import { createShells } from './shells.ts';
import { openListStore } from './store/lists.ts';
import { openTaskStore } from './store/tasks.ts';
import { createUploads } from './uploads.ts';

export interface TaskSettings {
  readonly fail_running_after_ms: number;
}

/** Wires stores, sessions, callers and the other servers together; the methods are a thin layer over the result. */
export function createTasking(kernel: Kernel, registry: AgentRegistry, settings: TaskSettings) {
  const { auth, bus, clock, db, log, signal: stopping } = kernel;
  const store = openTaskStore(db);
  const failed = (error: unknown) => log.error('a message of another server failed', { error });
  /** Work after a session's end, which the stop waits for. */
  const running = new Set<Promise<void>>();

  const sessions = createSessions({
    clock,
    opened: (uuid, since) => others.opened(uuid, since),
    closed: (uuid) => others.closed(uuid),
    sinceElsewhere: (uuid) => others.since(uuid),
    unsent(uuid, deliveries) {
      const work = dispatch
        .reroute(uuid, deliveries)
        .catch((error: unknown) => log.error('unsent tasks could not be failed', { error }))
        .finally(() => running.delete(work));
      running.add(work);
    },
  });
  const completions = createCompletions({
    bus,
    read: (id) => store.answer(id),
    forget: ({ id, uuid }) => sessions.get(uuid)?.forget(id),
    failed,
  });
  const others = createOthers({
    bus,
    stopping,
    *own() {
      for (const [uuid, { since }] of sessions.list()) yield [uuid, since] as const;
    },
    ownSince: (uuid) => sessions.get(uuid)?.since,
    displaced: (uuid) => sessions.drop(uuid),
  });
  const routes = createRoutes({
    bus,
    clock,
    others,
    receive: (id, uuid) => dispatch.receive(id, uuid),
    failed,
  });
  const dispatch: Dispatch = createDispatch({
    store,
    sessions,
    routes,
    completions,
    registry,
    clock,
    log,
    stopping,
  });
  const service: Tasks = {
    createMany: dispatch.createMany,
    startedBetween: store.startedBetween,
    ...createShells(store),
  };

  return {
    sessions,
    completions,
    dispatch,
    service,
    lists: openListStore(db),
    takeResult: createUploads(auth, store, completions),
    sweep: createSweep(store, completions, { clock, age_ms: () => settings.fail_running_after_ms }),
    settled: async () => {
      await Promise.all(running);
    },
  };
}
