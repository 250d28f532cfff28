import { Copy, Pencil, RotateCw, Trash2 } from 'lucide';
import { navigate, to, useServer } from '../../../frame/index.ts';
import { Button, ConfirmButton, ErrorNote, toast, useWork } from '../../../parts/index.ts';
import { Switch } from '../../../parts/switch.tsx';
import { t } from '../../../strings/index.ts';
import { isChecked, type Monitor, mayDelete, mayMake } from '../model.ts';

interface Props {
  readonly monitor: Monitor;
  readonly mayChange: boolean;
  readonly onChanged: () => void;
}

/** What can be done with a monitor. */
export function Actions({ monitor, mayChange, onChanged }: Props) {
  const server = useServer();
  const { call } = server;
  const { name, enable, kind } = monitor;
  const check = useWork(async () => {
    await call('monitor_check_now', { name });
    onChanged();
    toast(t.monitors.checking);
  });
  return (
    <>
      {check.error !== undefined && <ErrorNote error={check.error} />}
      {mayChange && (
        <Switch
          of={monitor}
          label={t.monitors.enabled(name)}
          title={(isOn) => (isOn ? t.monitors.switchOff : t.monitors.switchOn)}
          disabled={false}
          onSet={async (wanted) => {
            await call('monitor_set_enable', { name, enable: wanted });
            onChanged();
          }}
        />
      )}
      {mayChange && isChecked(kind) && (
        <Button
          icon={RotateCw}
          busy={check.isBusy}
          disabled={!enable}
          onClick={() => void check.run()}
        >
          {t.monitors.checkNow}
        </Button>
      )}
      {mayChange && (
        <Button icon={Pencil} onClick={() => navigate(to('monitors', name, { edit: '' }))}>
          {t.monitors.edit}
        </Button>
      )}
      {mayMake(server) && (
        <Button
          kind="quiet"
          icon={Copy}
          label={t.monitors.duplicate}
          onClick={() => navigate(to('monitors', { new: '', from: name }))}
        />
      )}
      {mayDelete(server, name) && (
        <ConfirmButton
          icon={Trash2}
          label={t.monitors.remove}
          title={t.monitors.removeTitle(name)}
          action={t.monitors.remove}
          onConfirm={async () => {
            await call('monitor_delete', { name });
            toast(t.monitors.removed(name));
            navigate(to('monitors'));
          }}
        >
          <p>{t.monitors.removeText}</p>
        </ConfirmButton>
      )}
    </>
  );
}
