export { Chart } from './chart.tsx';
export {
  type Curves,
  type Gap,
  gapsOf,
  type Line,
  type Marks,
  type Span,
  withGaps,
} from './curves.ts';
export { TableDialog } from './rows.tsx';
export { type Unit, units } from './units.ts';
