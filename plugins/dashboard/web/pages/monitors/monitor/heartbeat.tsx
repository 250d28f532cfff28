import { RefreshCw } from 'lucide';
import { useServer } from '../../../frame/index.ts';
import { DialogButton } from '../../../parts/dialog-button.tsx';
import { Card, Command, Confirm, format, toast } from '../../../parts/index.ts';
import { t } from '../../../strings/index.ts';
import type { Monitor, Ping } from '../model.ts';
import { usePings } from './model.ts';

interface Props {
  readonly monitor: Monitor;
  readonly mayChange: boolean;
  readonly onChanged: () => void;
}

/** The addresses that a job calls, and the last calls. */
export function Heartbeat({ monitor, mayChange, onChanged }: Props) {
  const pings = usePings(monitor.name);
  const isNew = monitor.verdict.state === 'unknown';
  return (
    <>
      {mayChange && <Addresses key={String(isNew)} {...{ monitor, isNew, onChanged }} />}
      {pings.data !== undefined && (
        <Card title={t.monitors.heartbeat.title}>
          <Pings list={pings.data} />
        </Card>
      )}
    </>
  );
}

interface AddressesProps extends Omit<Props, 'mayChange'> {
  /** Tells whether no job has called yet: then it is what people came for. */
  readonly isNew: boolean;
}

function Addresses({ monitor: { name, ping_url, push_url }, isNew, onChanged }: AddressesProps) {
  const { call, origin } = useServer();
  const whole = (url: string) => new URL(url, origin).href;
  const renew = async () => {
    await call('monitor_update', { name, change: { renew_key: true } });
    toast(t.monitors.heartbeat.renewed);
    onChanged();
  };
  return (
    <Card class="monitors-addresses">
      <details open={isNew}>
        <summary>
          <h2>{t.monitors.heartbeat.addresses}</h2>
        </summary>
        <div class="stack monitors-more">
          {ping_url === null && <p class="muted">{t.monitors.heartbeat.noAddress}</p>}
          {ping_url !== null && (
            <>
              <p class="muted">{t.monitors.heartbeat.ping}</p>
              <Command text={`curl -fsS -m 10 --retry 3 -o /dev/null ${whole(ping_url)}`} />
              <p class="muted small">{t.monitors.heartbeat.more}</p>
            </>
          )}
          {push_url !== null && (
            <>
              <p class="muted">{t.monitors.heartbeat.push}</p>
              <Command text={whole(push_url)} />
            </>
          )}
          <div>
            <DialogButton
              kind="plain"
              icon={RefreshCw}
              dialog={(close) => (
                <Confirm
                  title={t.monitors.heartbeat.renewTitle(name)}
                  action={t.monitors.heartbeat.renew}
                  onClose={close}
                  onConfirm={renew}
                >
                  <p>{t.monitors.heartbeat.renewText}</p>
                </Confirm>
              )}
            >
              {t.monitors.heartbeat.renew}
            </DialogButton>
          </div>
        </div>
      </details>
    </Card>
  );
}

const Pings = ({ list }: { readonly list: readonly Ping[] }) =>
  list.length === 0 ? (
    <p class="muted">{t.monitors.heartbeat.none}</p>
  ) : (
    <ul class="monitors-pings">
      {list.map((ping) => (
        <PingRow key={ping.id} of={ping} />
      ))}
    </ul>
  );

function PingRow({
  of: { at, kind, exit_status, address, agent, ms, body },
}: {
  readonly of: Ping;
}) {
  const said = [
    exit_status === null ? '' : t.monitors.heartbeat.exit(exit_status),
    ms === null ? '' : t.monitors.heartbeat.took(format.text(format.milliseconds(ms))),
  ].filter((one) => one !== '');
  return (
    <li>
      <span class="num" title={format.dateTime(at)}>
        {format.whenSeconds(at)}
      </span>
      <strong class={kind === 'fail' ? 'monitors-bad' : kind === 'success' ? '' : 'muted'}>
        {t.monitors.heartbeat.kinds(kind)}
      </strong>
      <span>{said.join(' · ')}</span>
      <span class="muted small ellipsis" title={agent}>
        {t.monitors.heartbeat.from(address)}
      </span>
      {body !== '' && <pre class="monitors-sample">{body}</pre>}
    </li>
  );
}
