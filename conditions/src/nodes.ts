import type { Node } from './engine.ts';

const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && 'op' in value;

/** Nodes right below one, without the arguments of its call. */
export const children = ({ args }: Node): Node[] =>
  (Array.isArray(args) ? args : [args]).filter(isNode);

/** Nodes right below one, the arguments of its call included. */
export const below = ({ args }: Node): Node[] =>
  (Array.isArray(args) ? args.flat() : [args]).filter(isNode);

/** Tells whether a value is written in the condition. */
export const isWritten = ({ op }: Node): boolean => op === 'value';
