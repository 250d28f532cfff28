import { RotateCw, TriangleAlert } from 'lucide';
import { usePoll, useServer } from '../../../frame/index.ts';
import { Icon } from '../../../parts/index.ts';
import { t } from '../../../strings/index.ts';

interface Warning {
  readonly key?: string;
  readonly message: string;
}

/** Keys that nothing reads, and what a change leaves for a restart; read again after each reload, which closes the connection. */
export function ConfigurationNotes() {
  const { call, may } = useServer();
  const isAllowed = may('svc-server_config_warnings') === true;
  const { data = [] } = usePoll(`restart ${isAllowed}`, async () => {
    if (!isAllowed) return [];
    const { warnings } = await call('svc-server_config_warnings');
    return warnings;
  });
  const restart = data.filter(({ kind }) => kind === 'restart');
  return (
    <>
      {data.map(
        ({ kind, message }) =>
          kind === 'unknown' && (
            <div class="note warn" role="status" key={message}>
              <Icon of={TriangleAlert} />
              <span class="grow">{message}</span>
            </div>
          ),
      )}
      {restart.length > 0 && <Waiting keys={restart} />}
    </>
  );
}

function Waiting({ keys }: { readonly keys: readonly Warning[] }) {
  return (
    <div class="note warn" role="status">
      <Icon of={RotateCw} />
      <div class="grow">
        <strong>{t.server.configuration.restart}</strong>
        <ul>
          {keys.map(({ key, message }) => (
            <li key={message}>{key === undefined ? message : <code>{key}</code>}</li>
          ))}
        </ul>
      </div>
    </div>
  );
}
