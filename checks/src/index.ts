export { firstAnswer, inTurns } from './first-answer.ts';
export type { Door, Network, Target } from './network.ts';
export { PingForbidden, pingArguments, pingTimes, runPing, withPing } from './ping-program.ts';
export * from './place/index.ts';
export { plainDoor } from './plain.ts';
export { lookUp, RECORD_TYPES, type RecordType, reverseName } from './records.ts';
export { type RunOptions, run } from './run.ts';
export * from './types.ts';
export { defaultCondition, vocabularyOf } from './vocabulary.ts';
