import {
  address,
  isMissing,
  navigate,
  setQuery,
  to,
  useMachines,
  useServer,
} from '../../frame/index.ts';
import { toast } from '../../parts/index.ts';
import { LIMITED } from '../../parts/kept-days.ts';
import { t } from '../../strings/index.ts';
import { keyOfLimit, NOTES, useMetadata } from './settings/model.ts';

export const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

const TABS = ['overview', 'charts', 'probes', 'tasks', 'facts', 'settings'] as const;
const SETTINGS = [...NOTES, ...LIMITED.map(keyOfLimit)];

/** Tabs that the token may see. */
export function useTabs(uuid: string) {
  const { has, covers } = useServer();
  const { mayEdit } = useMetadata(uuid);
  const readsSummaries = covers('dynamic_monitoring_summary', 'read', uuid);
  return TABS.filter((id) => {
    if (id === 'overview' || id === 'charts') return readsSummaries;
    if (id === 'probes' || id === 'tasks') return has('task') && covers('task', 'read', uuid);
    if (id === 'settings') return SETTINGS.some(mayEdit);
    return true;
  });
}

/** Opens a tab; the time that is shown stays. */
export function openTab(uuid: string, tab: string): void {
  const { query } = address.value;
  navigate(tab === 'overview' ? to('agent', uuid) : to('agent', uuid, tab));
  setQuery({
    range: query.get('range') ?? undefined,
    from: query.get('from') ?? undefined,
    to: query.get('to') ?? undefined,
  });
}

const WAIT_MS = 15_000;

/** Restarts an agent: one that is given its own configuration starts again. */
export function useRestart(uuid: string, name: string) {
  const { call } = useServer();
  return async () => {
    const runTask = async (task_type: 'read_config' | { edit_config: string }) => {
      const params = { target_uuid: uuid, task_type, timeout_ms: WAIT_MS };
      const { success, error_message, task_event_result } = await call(
        'task_create_task_blocking',
        params,
      );
      if (!success) throw new Error(error_message ?? t.agent.restart.failed);
      return task_event_result;
    };
    const found = await runTask('read_config');
    if (!found || !('read_config' in found)) throw new Error(t.agent.restart.failed);
    await runTask({ edit_config: found.read_config });
    toast(t.agent.restart.done(name));
  };
}

/** Takes an agent out of the lists; with its history and notes, if the person wants. */
export function useRemoval(uuid: string, name: string) {
  const { call, has } = useServer();
  const { refresh } = useMachines();
  return async (withHistory: boolean) => {
    if (withHistory) {
      const condition = { conditions: [{ uuid }] };
      await call('agent_delete_dynamic_summary', condition);
      await call('agent_delete_dynamic', condition);
      await call('agent_delete_static', condition);
      if (has('task')) await call('task_delete', condition);
      if (has('kv'))
        await call('kv_delete_namespace', { namespace: uuid }).catch((error: unknown) => {
          if (!isMissing(error)) throw error;
        });
    }
    await call('agent-uuid_delete', { agent_uuid: uuid });
    await refresh();
    toast(t.agent.remove.done(name));
    navigate(to('fleet'));
  };
}
