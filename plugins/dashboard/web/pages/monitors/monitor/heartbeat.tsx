import { useServer } from '../../../frame/index.ts';
import { Card, Command, format } from '../../../parts/index.ts';
import { t } from '../../../strings/index.ts';
import type { Monitor } from '../model.ts';
import { usePings } from './model.ts';

interface Props {
  readonly monitor: Monitor;
}

/** The addresses that a job calls, when the next call is expected, and the last calls. */
export function Heartbeat({ monitor }: Props) {
  const { origin } = useServer();
  const pings = usePings(monitor.name);
  const { ping_url, push_url } = monitor;
  const next = nextOf(monitor, pings.data?.find(({ kind }) => kind === 'success')?.at);
  const whole = (url: string) => new URL(url, origin).href;
  if (!ping_url && !push_url && next === undefined && pings.data === undefined) return null;
  return (
    <Card title={t.monitors.heartbeat.title}>
      <div class="stack">
        {next !== undefined && <p>{t.monitors.heartbeat.next(format.when(next))}</p>}
        {ping_url && (
          <div class="field">
            <span class="group-label">{t.monitors.heartbeat.ping}</span>
            <Command text={`curl -fsS -m 10 --retry 3 ${whole(ping_url)}`} />
          </div>
        )}
        {push_url && (
          <details>
            <summary>{t.monitors.heartbeat.push}</summary>
            <Command text={whole(push_url)} />
          </details>
        )}
        {pings.data !== undefined && <Pings list={pings.data} />}
      </div>
    </Card>
  );
}

/** Next call of a job with a period; undefined: only its cron line tells. */
function nextOf({ spec, enable }: Monitor, last: number | undefined): number | undefined {
  const period_s = (spec as { readonly period_s?: unknown }).period_s;
  if (!enable || typeof period_s !== 'number' || last === undefined) return undefined;
  return last + period_s * 1000;
}

type List = NonNullable<ReturnType<typeof usePings>['data']>;

const Pings = ({ list }: { readonly list: List }) =>
  list.length === 0 ? (
    <p class="muted">{t.monitors.heartbeat.none}</p>
  ) : (
    <ul class="monitors-outages">
      {list.map(({ at, kind, exit_status, address, ms, body }) => (
        <li key={`${at} ${kind}`}>
          <div class="row wrap">
            <span title={format.dateTime(at)}>{format.when(at)}</span>
            <strong>{t.monitors.heartbeat.kinds(kind)}</strong>
            {exit_status !== null && <span>{t.monitors.heartbeat.exit(exit_status)}</span>}
            {ms !== null && <span>{format.duration(ms)}</span>}
            <span class="muted small">{address}</span>
          </div>
          {body !== '' && <pre class="monitors-sample">{body}</pre>}
        </li>
      ))}
    </ul>
  );
