/** JSON without loss: large integers, text as it was sent, answers that are written once. */
export * from './camel.ts';
export * from './cursor.ts';
export * from './exact.ts';
export * from './fault-finder.ts';
export * from './faults.ts';
export * from './pieces.ts';
export * from './raw.ts';
export * from './rows.ts';
export * from './set-own.ts';
export * from './string-pieces.ts';
export * from './text.ts';
