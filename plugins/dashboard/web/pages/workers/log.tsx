import { Eraser } from 'lucide';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { Button, Card, ErrorNote } from '../../parts/index.ts';
import { t } from '../../strings/index.ts';
import { useLog, useLogRight } from './model.ts';

/** Log of the script, as it happens. */
export function Log({ name }: { readonly name: string }) {
  const isAllowed = useLogRight();
  if (isAllowed === undefined) return null;
  if (isAllowed) return <Lines name={name} />;
  return (
    <Card flush title={t.workers.log}>
      <p class="muted workers-note">{t.workers.logDenied}</p>
    </Card>
  );
}

function Lines({ name }: { readonly name: string }) {
  const { lines, live, clear } = useLog(name);
  const box = useRef<HTMLDivElement>(null);
  const isAtEnd = useRef(true);
  useLayoutEffect(() => {
    if (box.current && isAtEnd.current) box.current.scrollTop = box.current.scrollHeight;
  }, [lines]);
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
            disabled={lines.length === 0}
            onClick={clear}
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
        {lines.length === 0 && <p class="muted">{t.workers.logEmpty}</p>}
        {lines.map((line) => (
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
