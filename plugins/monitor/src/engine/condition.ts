import { defaultCondition, vocabularyOf } from '@svc/checks';
import { compile } from '@svc/conditions';
import type { CheckedKind } from '../types.ts';

/** Compiles the condition of a monitor, or that of its kind. */
export const conditionOf = (kind: CheckedKind, text: string | null) =>
  compile(text ?? defaultCondition(kind), vocabularyOf(kind));
