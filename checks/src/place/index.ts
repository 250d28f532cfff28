export { type Checked, PlaceChecks, type PlaceParts, type Sink } from './checks.ts';
export { Isolation } from './isolation.ts';
export { judgeOutcome } from './outcome.ts';
export { type Job, Runner } from './runner.ts';
export { chosen, nextPlanned, serverOf } from './schedule.ts';
export { after } from './state.ts';
export * from './types.ts';
