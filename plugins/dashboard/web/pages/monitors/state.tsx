import { CircleCheck, CircleDashed, CirclePause, OctagonX, TriangleAlert } from 'lucide';
import { Icon } from '../../parts/index.ts';
import { t } from '../../strings/index.ts';
import type { State } from './model.ts';

type Shown = State | 'suspect';

const ICONS = {
  up: CircleCheck,
  degraded: TriangleAlert,
  suspect: TriangleAlert,
  down: OctagonX,
  unknown: CircleDashed,
  paused: CirclePause,
};

/** State as a mark and a word. */
export const StateMark = ({ of }: { readonly of: Shown }) => (
  <span class={`monitors-state ${of}`}>
    <Icon of={ICONS[of]} />
    <span>{t.monitors.states[of]}</span>
  </span>
);
