/** JSON without loss: large integers, text as it was sent, answers that are written once. */
export * from '../json.ts';
export * from '../json-faults.ts';
export * from '../json-rows.ts';
export * from '../json-scan.ts';
export * from '../json-text.ts';
