import type { Figure } from '../../types.ts';

export const figure = (
  name: string,
  value: number,
  unit: string,
  more: Partial<Figure> = {},
): Figure => ({ scenario: 'monitors', figure: name, value, unit, ...more });
