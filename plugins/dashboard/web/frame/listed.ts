import { type Methods, RpcError } from '@svc/client';
import { mayList } from './limit.ts';
import type { Server } from './server.ts';

type Answered = Methods['agent-uuid_list']['result'][number];
/** One agent as the server lists it; an older server sends no host name. */
export type Listed = Omit<Answered, 'host_name'> & { readonly host_name?: string | null };

const UNKNOWN = {
  name: null,
  host_name: null,
  tags: null,
  last_seen: null,
  address: null,
  version: null,
  connected_for_tasks: null,
  tasks_allowed: null,
  last_refusal: null,
  first_seen: null,
};

/** Every agent that the token may see, in one call; `first` is the call that the log-in made. */
export async function listed(
  server: Server,
  first: Promise<readonly Listed[]> | undefined,
): Promise<readonly Listed[]> {
  if (!mayList(server)) return namedByToken(server);
  try {
    return await (first ?? server.call('agent-uuid_list'));
  } catch (error) {
    // A server that lacks the method knows agents by their UUIDs.
    if (!(error instanceof RpcError) || error.code !== -32601) throw error;
    const { uuids } = await server.call('svc-server_list_all_agent_uuid');
    return uuids.map((uuid) => ({ uuid, ...UNKNOWN }));
  }
}

/**
 * Machines that a token without the right to list names in its limit: a call for the names of all, and one for the host
 * names.
 */
async function namedByToken(server: Server): Promise<readonly Listed[]> {
  const { agents } = server;
  const [names, hosts] = await Promise.all([namesOf(server, agents), hostNamesOf(server, agents)]);
  return agents.map((uuid) => ({
    uuid,
    ...UNKNOWN,
    name: names.get(uuid) ?? null,
    host_name: hosts.get(uuid) ?? null,
  }));
}

type Names = ReadonlyMap<string, string>;

async function namesOf({ call, has, covers }: Server, agents: readonly string[]): Promise<Names> {
  const key = 'metadata_name';
  const mine = has('kv') ? agents.filter((uuid) => covers('kv', 'read', uuid, key)) : [];
  if (mine.length === 0) return new Map();
  const rows = await call('kv_get_multi_value', {
    namespace_key: mine.map((namespace) => ({ namespace, key })),
  });
  return new Map(
    rows.flatMap(({ namespace, value }) =>
      typeof value === 'string' && value !== '' ? [[namespace, value]] : [],
    ),
  );
}

async function hostNamesOf({ call, covers }: Server, agents: readonly string[]): Promise<Names> {
  const uuids = agents.filter((uuid) => covers('static_monitoring', 'read', uuid, 'system'));
  if (uuids.length === 0) return new Map();
  try {
    const rows = await call('agent_static_data_multi_last_query', { uuids, fields: ['system'] });
    return new Map(
      rows.flatMap(({ uuid = '', system }) =>
        system?.system_host_name ? [[uuid, system.system_host_name]] : [],
      ),
    );
  } catch (error) {
    // One that never reported makes the whole call fail: they stay with their UUIDs until it does.
    if (error instanceof RpcError && error.code === 105) return new Map();
    throw error;
  }
}
