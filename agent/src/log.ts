export const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

/** Writes one line. The message is a constant sentence; facts are fields. */
export type LogLine = (message: string, fields?: Record<string, unknown>) => void;
export type Logger = Record<LogLevel, LogLine>;

const print = (value: unknown): string =>
  typeof value === 'string' && /^[\w.:/-]+$/.test(value) ? value : JSON.stringify(value);

/** A logger that writes one line per message: time, level, sentence, facts as `key=value`. */
export function createLogger(level: LogLevel, write: (line: string) => void): Logger {
  const threshold = LOG_LEVELS.indexOf(level);
  const line =
    (at: LogLevel): LogLine =>
    (message, fields = {}) => {
      if (LOG_LEVELS.indexOf(at) < threshold) return;
      const facts = Object.entries(fields).map(([key, value]) => ` ${key}=${print(value)}`);
      const head = `${new Date().toISOString()} ${at.toUpperCase().padEnd(5)}`;
      write(`${head} ${message}${facts.join('')}\n`);
    };
  return {
    trace: line('trace'),
    debug: line('debug'),
    info: line('info'),
    warn: line('warn'),
    error: line('error'),
  };
}

/** The same logger, with these facts on every line. */
export function withFields(log: Logger, fixed: Record<string, unknown>): Logger {
  const bind =
    (at: LogLevel): LogLine =>
    (message, fields = {}) =>
      log[at](message, { ...fixed, ...fields });
  return {
    trace: bind('trace'),
    debug: bind('debug'),
    info: bind('info'),
    warn: bind('warn'),
    error: bind('error'),
  };
}
