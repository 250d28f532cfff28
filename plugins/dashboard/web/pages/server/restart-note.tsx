import { RotateCw } from 'lucide';
import { usePoll, useServer } from '../../frame/index.ts';
import { Icon } from '../../parts/index.ts';
import { t } from '../../strings/index.ts';

/** What a change of the configuration leaves for a restart; read again after each reload, which closes the connection. */
export function RestartNote() {
  const { call, may } = useServer();
  const isAllowed = may('svc-server_config_warnings') === true;
  const { data } = usePoll(`restart ${isAllowed}`, async () => {
    if (!isAllowed) return [];
    const { warnings } = await call('svc-server_config_warnings');
    return warnings.filter(({ kind }) => kind === 'restart');
  });
  if (!data || data.length === 0) return null;
  return (
    <div class="note warn" role="status">
      <Icon of={RotateCw} />
      <div class="grow">
        <strong>{t.server.configuration.restart}</strong>
        <ul>
          {data.map(({ key, message }) => (
            <li key={message}>{key === undefined ? message : <code>{key}</code>}</li>
          ))}
        </ul>
      </div>
    </div>
  );
}
