import { useSignal } from '@preact/signals';
import type { Subscriptions } from '@svc/client';
import { Eraser } from 'lucide';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { useLive, useServer } from '../../frame/index.ts';
import { Button, Card, ErrorNote } from '../../parts/index.ts';
import { t } from '../../strings/index.ts';

type Item = Subscriptions['svc-server_stream_log']['item'];
interface Line extends Pick<Item, 'timestamp' | 'level' | 'message'> {
  readonly at: number;
}

/** Lines that are kept; older ones go. */
const MOST = 500;

/** What the script logs, as it happens. */
export function Log({ name }: { readonly name: string }) {
  const { has, may } = useServer();
  if (!has('server-info')) return null;
  const allowed = may('svc-server_stream_log', { log_filter: 'js_worker=trace' });
  if (allowed === undefined) return null;
  if (allowed === false)
    return (
      <Card flush title={t.workers.log}>
        <p class="muted workers-note">{t.workers.logDenied}</p>
      </Card>
    );
  return <Lines name={name} />;
}

function Lines({ name }: { readonly name: string }) {
  const { subscribe } = useServer();
  const lines = useSignal<readonly Line[]>([]);
  const waiting = useRef<{ lines: Line[]; count: number; frame: number }>({
    lines: [],
    count: 0,
    frame: 0,
  }).current;
  const live = useLive(
    `log ${name}`,
    () => subscribe('svc-server_stream_log', { log_filter: 'js_worker=trace' }),
    ({ fields, timestamp, level, message }) => {
      if (fields['worker'] !== name) return;
      waiting.lines.push({ timestamp, level, message, at: ++waiting.count });
      // A script may log faster than a screen shows.
      waiting.frame ||= requestAnimationFrame(() => {
        lines.value = [...lines.value, ...waiting.lines].slice(-MOST);
        waiting.lines = [];
        waiting.frame = 0;
      });
    },
  );
  const box = useRef<HTMLDivElement>(null);
  const isAtEnd = useRef(true);
  useLayoutEffect(() => {
    if (box.current && isAtEnd.current) box.current.scrollTop = box.current.scrollHeight;
  }, [lines.value]);
  return (
    <Card
      flush
      title={t.workers.log}
      actions={
        <>
          {live.state === 'live' && <span class="muted small">{t.workers.logLive}</span>}
          <Button
            kind="quiet"
            icon={Eraser}
            label={t.workers.clear}
            disabled={lines.value.length === 0}
            onClick={() => {
              lines.value = [];
            }}
          />
        </>
      }
    >
      {live.error !== undefined && <ErrorNote error={live.error} />}
      <div
        ref={box}
        class="workers-log"
        role="log"
        aria-label={t.workers.log}
        tabIndex={0}
        onScroll={(event) => {
          const { scrollTop, scrollHeight, clientHeight } = event.currentTarget;
          isAtEnd.current = scrollHeight - scrollTop - clientHeight < 24;
        }}
      >
        {lines.value.length === 0 && <p class="muted">{t.workers.logEmpty}</p>}
        {lines.value.map((line) => (
          <div key={line.at} class={line.level.toLowerCase()}>
            <time class="muted">{line.timestamp.slice(11, 23)}</time>
            <b>{line.level}</b>
            <span>{line.message}</span>
          </div>
        ))}
      </div>
    </Card>
  );
}
