import { TrendingUp } from 'lucide';
import type { ComponentChildren } from 'preact';
import { t } from '../../strings/index.ts';
import { Amount } from '../amount.tsx';
import { millisecondsOf, number } from '../format.ts';
import { Icon } from '../icon.tsx';
import { isSlow, lossFigure, type Percentiles } from './figures.ts';
import './probe.css';

interface Props {
  readonly of: Percentiles | undefined;
  /** Usual median at this hour, ms. */
  readonly usual: number | undefined;
}

/** Loss and percentiles of one probe as a line of figures. */
export function Figures({ of, usual }: Props) {
  if (!of) return <p class="muted">{t.probes.nothing}</p>;
  const { count, loss, min, p50, p95, p99, max } = of;
  const figure = millisecondsOf([min, p50, p95, p99, max, usual]);
  const ms = (value: number | null) => (value === null ? undefined : figure(value));
  return (
    <dl class="probe-figures">
      <One label={t.probes.loss}>
        <span class={loss ? 'probe-bad' : ''}>
          <Amount of={lossFigure(loss ?? 0)} title={t.probes.lostOf((loss ?? 0) * count, count)} />
        </span>
      </One>
      <One label={t.probes.least}>
        <Amount of={ms(min)} />
      </One>
      <One label={t.probes.median}>
        <Amount of={ms(p50)} />
      </One>
      <One label="p95">
        <Amount of={ms(p95)} />
      </One>
      <One label="p99">
        <Amount of={ms(p99)} />
      </One>
      <One label={t.probes.most}>
        <Amount of={ms(max)} />
      </One>
      <One label={t.probes.count}>
        <span class="num">{number(count)}</span>
      </One>
      {usual !== undefined && (
        <One label={t.probes.usual}>
          <Amount of={ms(usual)} />
        </One>
      )}
      {isSlow(p50, usual) && (
        <div class="tag warn">
          <Icon of={TrendingUp} size={12} /> {t.probes.slower}
        </div>
      )}
    </dl>
  );
}

const One = ({
  label,
  children,
}: {
  readonly label: string;
  readonly children: ComponentChildren;
}) => (
  <div>
    <dt class="muted small">{label}</dt>
    <dd>{children}</dd>
  </div>
);
