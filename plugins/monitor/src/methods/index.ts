import { AgentRegistry } from '@svc/plugin-agent-uuid/api';
import { Notify } from '@svc/plugin-notify/api';
import { type Kernel, type Methods, RpcError } from '@svc/plugin-sdk';
import { Tokens } from '@svc/plugin-token/api';
import { MonitorChanged, MonitorDue } from '../api.ts';
import { Changes } from '../changes.ts';
import type { Config } from '../config.ts';
import type { Engine } from '../engine/index.ts';
import { type Importer, openImports } from '../import/index.ts';
import { Names } from '../names.ts';
import type { Stores } from '../store/index.ts';
import { OutcomeStore } from '../store/outcomes.ts';
import { PingStore } from '../store/pings.ts';
import { SERVER_PLACE } from '../types.ts';
import { addHistoryMethods } from './history.ts';
import { addListMethod } from './list.ts';
import { addMonitorMethods } from './monitors.ts';
import { addOverviewMethod } from './overview.ts';
import { CheckPace } from './pace.ts';
import { addPingMethod } from './pings.ts';
import { addTryMethods } from './try.ts';

/** Adds the methods of the namespace `monitor`. @returns what imports, for the command */
export function addMethods(
  methods: Methods,
  kernel: Kernel<Config>,
  { stores, engine }: { readonly stores: Stores; readonly engine: Engine },
): Importer {
  const { auth, clock, config, db } = kernel;
  const { owners, registries, secrets } = engine;
  const { placing } = engine.agents;
  const names = new Names({ auth, monitors: stores.monitors });
  const changed = () => kernel.publish(MonitorChanged, {});
  const notify = kernel.useOptional(Notify);
  const path = kernel.brand.rewrite('/svc');
  const base = async () => `${(await notify?.publicUrl()) ?? ''}${path}`;
  const { pauses } = engine;
  const shared = {
    ...{ ...stores, auth, clock, owners, secrets, names, base, registries, placing, pauses },
  };
  const { heartbeats } = engine;
  const changes = new Changes({ ...shared, config, changed, heartbeats });
  const parts = { ...shared, ...placesIn(kernel), changes };
  addMonitorMethods(methods, parts);
  addListMethod(methods, { ...parts, outcomes: new OutcomeStore(db) });
  addOverviewMethod(methods, parts);
  addPingMethod(methods, { changes, pings: new PingStore(db) });
  addHistoryMethods(methods, parts);
  const due = (ids: readonly number[]) => kernel.publish(MonitorDue, { ids: [...ids] });
  const pace = new CheckPace({
    ...{ clock, states: stores.states },
    leastS: () => kernel.config.min_interval_s,
  });
  addTryMethods(methods, { ...engine, clock, changes, due, pace });
  return openImports(methods, kernel, {
    ...{ ...stores, changes, owners },
    tokens: kernel.use(Tokens),
  });
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
