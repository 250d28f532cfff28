/**
 * Parts that a database driver builds on (docs/guide/database-driver.md). Worker threads and processes of a driver import
 * it too, so it loads no schemas and no other part of the SDK that is slow to load.
 */
export * from '../util/bounded-cache.ts';
export * from '../util/code-of.ts';
export * from '../util/database-away.ts';
export * from '../util/deadline.ts';
export * from '../util/disk-full.ts';
export * from '../util/serial-queue.ts';
export * from '../util/start-worker.ts';
export * from './base-database.ts';
export * from './database-alarm.ts';
export * from './errors.ts';
export * from './executed.ts';
export * from './fifo.ts';
export * from './group-appender.ts';
export * from './options.ts';
export * from './query-builder.ts';
export * from './sink.ts';
export * from './transaction.ts';
