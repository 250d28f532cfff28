import { LastReports } from '@svc/plugin-agent/api';
import type { AgentRegistry } from '@svc/plugin-agent-uuid/api';
import type { Kernel } from '@svc/plugin-sdk';
import { Absences } from './absences.ts';
import type { Tasks } from './api.ts';
import { Completions } from './completions.ts';
import { Creator } from './create.ts';
import { Deliveries } from './deliveries.ts';
import { createShells } from './shells.ts';
import { Room } from './store/room.ts';
import { TaskStore } from './store/tasks.ts';
import { VersionStore } from './store/versions.ts';

/**
 * Connects the store, the deliveries and the blocking callers; the methods are a thin layer over the result.
 * `maxBytes`: of the tasks of one agent; 0: no limit.
 */
export function createTasking(kernel: Kernel, registry: AgentRegistry, maxBytes: () => number) {
  const { clock, db, log, signal: stopping } = kernel;
  const absences = new Absences({ clock, log, reports: kernel.useOptional(LastReports) });
  const store = new TaskStore(db);
  const room = new Room(db, maxBytes);
  const versions = new VersionStore(db, log);
  const failed = (error: unknown) => log.error('work for another server failed', { error });
  const completions = new Completions({
    messaging: kernel,
    read: (id) => store.answer(id),
    answered: (id) => deliveries.answered(id),
    failed,
  });
  const deliveries = new Deliveries({
    messaging: kernel,
    clock,
    stopping,
    store,
    ended: (uuid) => absences.ended(uuid),
    async fail(ids, message) {
      completions.ended(await store.fail(ids, message, clock.now()));
    },
    failed,
    log,
  });
  const shared = { store, room, deliveries, completions, clock, log, stopping };
  const creator = new Creator({ ...shared, absences, registry });
  const service: Tasks = {
    createMany: (order, task) => creator.createMany(order, task),
    hasRun: (cronSource, run) => store.hasRun(cronSource, run),
    whenEnded: (uuid, run) => completions.watch(uuid, run),
    ...createShells(store),
  };
  return { absences, store, room, versions, completions, deliveries, creator, service };
}
