import { useState } from 'preact/hooks';
import { go, isMissing, to, useMachines, useServer } from '../../../frame/index.ts';
import { Checkbox, Confirm, toast } from '../../../parts/index.ts';
import { t } from '../../../strings/index.ts';

interface Props {
  readonly uuid: string;
  readonly name: string;
  readonly onClose: () => void;
}

const WAIT_MS = 15_000;

/** An agent that is given its own configuration starts again, and with it everything that it does for tasks. */
export function Restart({ uuid, name, onClose }: Props) {
  const { call } = useServer();
  const run = async () => {
    const ask = async (task_type: 'read_config' | { edit_config: string }) => {
      const asked = { target_uuid: uuid, task_type, timeout_ms: WAIT_MS };
      const { success, error_message, task_event_result } = await call(
        'task_create_task_blocking',
        asked,
      );
      if (!success) throw new Error(error_message ?? t.agent.restart.failed);
      return task_event_result;
    };
    const found = await ask('read_config');
    if (!found || !('read_config' in found)) throw new Error(t.agent.restart.failed);
    await ask({ edit_config: found.read_config });
    toast(t.agent.restart.done(name));
  };
  return (
    <Confirm
      title={t.agent.restart.title(name)}
      action={t.agent.restart.action}
      onClose={onClose}
      onConfirm={run}
    >
      <p>{t.agent.restart.lost}</p>
    </Confirm>
  );
}

/** Takes an agent out of the lists; with its history and notes, if the person wants. */
export function Remove({ uuid, name, onClose }: Props) {
  const { call, has } = useServer();
  const { refresh } = useMachines();
  const [withHistory, setHistory] = useState(false);
  const run = async () => {
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
    go(to('fleet'));
  };
  return (
    <Confirm
      title={t.agent.remove.title(name)}
      action={withHistory ? t.agent.remove.actionAll : t.agent.remove.action}
      onClose={onClose}
      onConfirm={run}
    >
      <p>{t.agent.remove.lists}</p>
      <p>{t.agent.remove.back}</p>
      <Checkbox label={t.agent.remove.history} checked={withHistory} onChange={setHistory} />
      {withHistory && <p class="note warn">{t.agent.remove.lost}</p>}
    </Confirm>
  );
}
