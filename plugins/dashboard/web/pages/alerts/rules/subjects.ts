import type { Source } from '../model.ts';

/** Things that a rule of a source is about. */
export type Subjects = 'machines' | 'monitors' | 'server';

export const subjectsOf = (source: Source): Subjects =>
  source === 'monitor' ? 'monitors' : source === 'server' ? 'server' : 'machines';

/** Tells whether the server knows for how many a condition holds now: of parts, events, problems of its own and the past it does not. */
export const isCounted = (source: Source, condition: string): boolean =>
  source === 'monitor' ||
  source === 'presence' ||
  (source === 'machine' && !WINDOW.test(condition));

const WINDOW = /\b(?:avg|max|min|rate|traffic|predict)\s*\(/;
