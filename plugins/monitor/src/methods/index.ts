import { AgentRegistry } from '@svc/plugin-agent-uuid/api';
import { type Kernel, type Methods, RpcError } from '@svc/plugin-sdk';
import { MonitorChanged, MonitorDue } from '../api.ts';
import { Changes } from '../changes.ts';
import type { Config } from '../config.ts';
import { coverEnd, type Engine, type Stores } from '../engine/index.ts';
import { Names } from '../names.ts';
import { LatencyStore } from '../store/latency.ts';
import { OutcomeStore } from '../store/outcomes.ts';
import { UptimeStore } from '../store/uptime.ts';
import { SERVER_PLACE } from '../types.ts';
import { addHistoryMethods } from './history.ts';
import { addListMethod } from './list.ts';
import { addMonitorMethods } from './monitors.ts';
import { addTryMethods } from './try.ts';

/** Adds the methods of the namespace `monitor`. */
export function addMethods(
  methods: Methods,
  kernel: Kernel<Config>,
  { stores, engine }: { readonly stores: Stores; readonly engine: Engine },
): void {
  const { auth, clock, config, db } = kernel;
  const { owners, registries, secrets } = engine;
  const { placing } = engine.agents;
  const names = new Names({ auth, monitors: stores.monitors });
  const changed = () => kernel.publish(MonitorChanged, {});
  const shared = { ...stores, auth, clock, owners, secrets, names, registries, placing };
  const changes = new Changes({ ...shared, config, changed });
  const uptime = new UptimeStore({ db, clock, coverEnd });
  const parts = { ...shared, ...placesIn(kernel), changes, uptime };
  addMonitorMethods(methods, parts);
  addListMethod(methods, { ...parts, outcomes: new OutcomeStore(db) });
  addHistoryMethods(methods, { ...parts, latency: new LatencyStore(db, stores.results) });
  const due = (ids: readonly number[]) => kernel.publish(MonitorDue, { ids: [...ids] });
  addTryMethods(methods, { ...engine, clock, changes, due });
}

/** Names of places, and places by their names. */
function placesIn(kernel: Pick<Kernel, 'useOptional'>) {
  const registry = kernel.useOptional(AgentRegistry);
  return {
    placeName: (place_id: number): string =>
      place_id === SERVER_PLACE
        ? 'server'
        : (registry?.list().find(({ id }) => id === place_id)?.uuid ?? `agent ${place_id}`),
    placeId(name: string): number {
      if (name === 'server') return SERVER_PLACE;
      const agent = registry?.known(name.toLowerCase());
      if (!agent) throw RpcError.uuid(name);
      return agent.id;
    },
  };
}
