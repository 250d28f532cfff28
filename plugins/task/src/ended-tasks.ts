import type { AgentRegistry } from '@svc/plugin-agent-uuid/api';
import type { AgentRows } from '@svc/plugin-retention/api';
import type { Database } from '@svc/plugin-sdk';
import type { Integer } from '@svc/plugin-sdk/sql';
import type { Filter } from './conditions.ts';
import { openAges } from './store/ages.ts';
import type { ListStore } from './store/lists.ts';

const nothing: ReadonlySet<never> = new Set();

/** Ended tasks of agents, as explicit limits delete them. */
export function endedTasks(db: Database, registry: AgentRegistry, lists: ListStore): AgentRows {
  const ages = openAges(db);
  return {
    list: () => registry.list(),
    async ages(agents) {
      const found = [];
      for (const { id, uuid } of agents) {
        const { oldest, newest } = await ages(uuid);
        if (oldest !== null && newest !== null) found.push({ id, oldest, newest });
      }
      return found;
    },
    remove: (uuid, to, proceed) =>
      lists.remove(endedUpTo(uuid, to), { without: undefined, proceed }),
  };
}

/** A running task has no timestamp, so no time condition matches it. */
const endedUpTo = (uuid: string, to: Integer): Filter => ({
  ids: nothing,
  uuids: new Set([uuid]),
  types: nothing,
  cronSources: nothing,
  states: nothing,
  from: undefined,
  to,
  limit: undefined,
});
