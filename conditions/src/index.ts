export { compile } from './compile.ts';
export { ConditionError } from './error.ts';
export * from './types.ts';
