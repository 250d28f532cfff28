import { useEffect, useState } from 'preact/hooks';

/** Time of this device, Unix ms, read every `every_ms` while the page is visible. */
export function useNow(every_ms: number): number {
  const [now, setNow] = useState(Date.now());
  useEffect(() => {
    const timer = setInterval(() => !document.hidden && setNow(Date.now()), every_ms);
    return () => clearInterval(timer);
  }, [every_ms]);
  return now;
}
