import { CircleCheck, CircleDashed, CirclePause, OctagonX, TriangleAlert } from 'lucide';
import { t } from '../../strings/index.ts';
import { Icon } from '../icon.tsx';
import './state.css';

type Shown = keyof typeof ICONS;

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
  <span class={`monitor-state ${of}`}>
    <Icon of={ICONS[of]} />
    <span>{t.probes.states[of]}</span>
  </span>
);
