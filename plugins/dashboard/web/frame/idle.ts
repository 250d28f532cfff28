import { useEffect } from 'preact/hooks';
import { lockAfter } from './preferences.ts';
import { logOut, SessionEnded, useServer } from './server.ts';

/** Reason of a log-in form: the page was not used for the time that was chosen. */
export class Locked extends Error {}

const CHECK_MS = 5_000;
const EVENTS = ['pointerdown', 'pointermove', 'keydown', 'wheel', 'touchstart'] as const;

/** Ends the session when the page was not used for the chosen time, and when the session's time has come. */
export function useIdleLock(): void {
  const { ends_at } = useServer();
  const minutes = lockAfter.value;
  useEffect(() => {
    let usedAt = Date.now();
    const used = () => {
      usedAt = Date.now();
    };
    const check = () => {
      const now = Date.now();
      if (minutes !== 'off' && now - usedAt > Number(minutes) * 60_000) logOut(new Locked());
      else if (ends_at !== undefined && now > ends_at) logOut(new SessionEnded());
    };
    // A laptop that wakes up is locked before anything is drawn for long.
    document.addEventListener('visibilitychange', check);
    for (const name of EVENTS) addEventListener(name, used, { passive: true, capture: true });
    const timer = setInterval(check, CHECK_MS);
    return () => {
      clearInterval(timer);
      document.removeEventListener('visibilitychange', check);
      for (const name of EVENTS) removeEventListener(name, used, { capture: true });
    };
  }, [minutes, ends_at]);
}
