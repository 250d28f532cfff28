import { useEffect, useState } from 'preact/hooks';
import { t } from '../strings/index.ts';
import { useServer } from './server.ts';

/** "Live", or when the next attempt begins. */
export function ConnectionState() {
  const { state, until } = useServer().connection.value;
  const left = useSecondsLeft(until);
  const text =
    state === 'open'
      ? t.frame.live
      : state === 'connecting' || until === undefined
        ? t.frame.reconnectingNow
        : t.frame.reconnecting(left);
  return (
    <span class={`connection ${state}`} role="status" title={text}>
      <i aria-hidden="true" />
      <span>{text}</span>
    </span>
  );
}

function useSecondsLeft(until: number | undefined): string {
  const [, draw] = useState(0);
  useEffect(() => {
    if (until === undefined) return;
    const timer = setInterval(() => draw((count) => count + 1), 500);
    return () => clearInterval(timer);
  }, [until]);
  return String(Math.max(1, Math.ceil(((until ?? 0) - Date.now()) / 1000)));
}
