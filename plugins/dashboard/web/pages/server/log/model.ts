import { useEffect, useRef, useState } from 'preact/hooks';
import { useLive, usePoll, useServer } from '../../../frame/index.ts';

export interface Line {
  readonly timestamp: string;
  readonly level: 'TRACE' | 'DEBUG' | 'INFO' | 'WARN' | 'ERROR';
  readonly target: string;
  readonly message: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

export const LEVELS = ['error', 'warn', 'info', 'debug', 'trace'] as const;
export type Level = (typeof LEVELS)[number];
/** Older lines go. */
const MOST = 500;

/** Lines of this level or a worse one that contain the words, the newest first: what the server remembers, then what comes. */
export function useLog(level: Level, words: string) {
  const { call, may } = useServer();
  const past = usePoll('log of before', async () =>
    may('svc-server_log') === false ? [] : await call('svc-server_log'),
  );
  const { lines, clear, ...live } = useLiveLines(level);
  const first = lines[0]?.timestamp;
  const before = (past.data ?? []).filter(
    (line) =>
      LEVELS.indexOf(line.level.toLowerCase() as Level) <= LEVELS.indexOf(level) &&
      (first === undefined || line.timestamp < first),
  );
  const shown = [...before, ...lines]
    .slice(-MOST)
    .filter((line) => words === '' || textOf(line).toLowerCase().includes(words.toLowerCase()))
    .reverse();
  const clearAll = () => {
    clear();
    past.set([]);
  };
  return { ...live, shown, clear: clearAll };
}

/** Lines since the page was opened; while it is paused they wait. */
function useLiveLines(level: Level) {
  const { subscribe } = useServer();
  const [lines, setLines] = useState<readonly Line[]>([]);
  const [isPaused, setPaused] = useState(false);
  const waiting = useRef<Line[]>([]);
  const { error } = useLive<Line>(
    `log ${level}`,
    () => subscribe('svc-server_stream_log', { log_filter: level }),
    (line) => {
      waiting.current.push(line);
      if (waiting.current.length > MOST) waiting.current.shift();
    },
  );
  useEffect(() => {
    if (isPaused) return;
    // Lines may come faster than frames.
    let frame = requestAnimationFrame(function show() {
      if (waiting.current.length > 0) {
        const come = waiting.current.splice(0);
        setLines((old) => [...old, ...come].slice(-MOST));
      }
      frame = requestAnimationFrame(show);
    });
    return () => cancelAnimationFrame(frame);
  }, [isPaused]);
  const clear = () => {
    waiting.current = [];
    setLines([]);
  };
  return { lines, clear, error, isPaused, setPaused };
}

export const fieldsOf = ({ fields }: Line): string =>
  Object.entries(fields)
    .map(([name, value]) => `${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join(' ');
const textOf = (line: Line): string => `${line.target} ${line.message} ${fieldsOf(line)}`;
