import { definePlugin, Type } from '@svc/plugin-sdk';
import * as assert from 'uvu/assert';

export type Level = 'trace' | 'debug' | 'info' | 'warn' | 'error';
/** As svc-server.md §9.1. */
export interface LogRecord {
  timestamp: string;
  level: string;
  target: string;
  message: string;
  fields: Record<string, unknown>;
  spans: { name: string; fields?: string }[];
}

/** Writes records on demand. */
export const noise = definePlugin({
  name: 'noise',
  version: '1.0.0',
  namespaces: ['noise'],
  setup({ hooks, log }) {
    hooks.methods.tap((methods) =>
      methods.add('noise_make', {
        summary: 'Writes log records.',
        params: {
          target: Type.String(),
          level: Type.String(),
          message: Type.String(),
          count: Type.Integer(),
        },
        result: Type.Null(),
        access: 'public',
        handle({ target, level, message, count }) {
          const logger = log
            .target(target)
            .span({ name: 'outer' })
            .span({ name: 'inner', fields: 'k=v' });
          for (let at = 0; at < count; at++)
            logger[level as Level](message, { at, flag: true, text: 'x' });
          return null;
        },
      }),
    );
  },
});

/** Asserts the shape of one log record. */
export function isRecord(value: LogRecord): void {
  assert.equal(Object.keys(value).sort(), [
    'fields',
    'level',
    'message',
    'spans',
    'target',
    'timestamp',
  ]);
  assert.match(value.timestamp, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}[+-]\d\d:\d\d$/);
  assert.ok(['TRACE', 'DEBUG', 'INFO', 'WARN', 'ERROR'].includes(value.level));
  for (const span of value.spans) assert.type(span.name, 'string');
}
