import { Amount, Bar, format, Icon } from '../../parts/index.ts';
import { networkRate } from '../../parts/network-unit.ts';
import { t } from '../../strings/index.ts';
import { type GaugeId, gaugeOf } from './gauges.ts';
import type { Summary, Vital } from './model.ts';
import type { Problem } from './problems.ts';

interface GaugeProps {
  readonly id: GaugeId;
  readonly vital: Vital;
}

export function GaugeBar({ id, vital }: GaugeProps) {
  const { percent, bounds } = gaugeOf(id, vital);
  const part = percent === undefined ? undefined : percent / 100;
  return <Bar value={part} label={`${t.fleet[id]}, ${vital.name}`} {...bounds} />;
}

export function GaugeAmount({ id, vital }: GaugeProps) {
  const { percent } = gaugeOf(id, vital);
  return <Amount of={percent === undefined ? undefined : format.percent(percent)} />;
}

interface RateProps {
  readonly row: Summary | undefined;
  readonly of: 'receive_speed' | 'transmit_speed';
}

export function Rate({ row, of }: RateProps) {
  const speed = row?.[of];
  return <Amount of={speed == null ? undefined : networkRate(speed)} />;
}

/** Picture and words of a problem. */
export const ProblemText = ({
  of: { icon },
  text,
}: {
  readonly of: Problem;
  readonly text: string;
}) => (
  <>
    <Icon of={icon} size={14} />
    <span class="ellipsis">{text}</span>
  </>
);
