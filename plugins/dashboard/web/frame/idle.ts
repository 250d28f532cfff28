import { useEffect } from 'preact/hooks';
import { lockAfter } from './preferences.ts';
import { logOut, SessionEnded, useServer } from './server.ts';

/** Nobody used the page for the time that was chosen. */
export class Locked extends Error {}

const LOOK_MS = 5_000;
const SIGNS = ['pointerdown', 'pointermove', 'keydown', 'wheel', 'touchstart'] as const;

/** Ends the session when nobody has used the page for so long as was chosen, and when its time has come. */
export function useIdleLock(): void {
  const { ends_at } = useServer();
  const minutes = lockAfter.value;
  useEffect(() => {
    let usedAt = Date.now();
    const used = () => {
      usedAt = Date.now();
    };
    const look = () => {
      const now = Date.now();
      if (minutes !== 'off' && now - usedAt > Number(minutes) * 60_000) logOut(new Locked());
      else if (ends_at !== undefined && now > ends_at) logOut(new SessionEnded());
    };
    // A laptop that wakes up is locked before anything is drawn for long.
    document.addEventListener('visibilitychange', look);
    for (const sign of SIGNS) addEventListener(sign, used, { passive: true, capture: true });
    const timer = setInterval(look, LOOK_MS);
    return () => {
      clearInterval(timer);
      document.removeEventListener('visibilitychange', look);
      for (const sign of SIGNS) removeEventListener(sign, used, { capture: true });
    };
  }, [minutes, ends_at]);
}
