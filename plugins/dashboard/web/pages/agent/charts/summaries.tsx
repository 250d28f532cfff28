import { useMemo } from 'preact/hooks';
import { Loaded } from '../../../frame/index.ts';
import { Skeleton } from '../../../parts/index.ts';
import { chooseNetworkUnit, networkUnit } from '../../../parts/network-unit.ts';
import { t } from '../../../strings/index.ts';
import type { Reports } from '../reports.ts';
import { SpecChart } from './chart.tsx';
import { useGrid } from './series.ts';
import { fieldsOf, type Spec } from './specs.ts';
import type { View } from './view.ts';

interface SummariesProps {
  readonly uuid: string;
  readonly view: View;
  readonly reports: Reports;
  readonly specs: readonly Spec[];
}

export function Summaries({ uuid, view, reports, specs }: SummariesProps) {
  const fields = useMemo(() => fieldsOf(specs), [specs]);
  const grid = useGrid(uuid, fields, view.span);
  const samples = reports.samples.value;
  return (
    <Loaded of={grid} what={t.agent.unreadable} skeleton={<ChartSkeletons count={specs.length} />}>
      {(found) => (
        <div class={specs.length > 4 ? 'agent-charts' : 'agent-charts few'}>
          {specs.map((spec) => (
            <SpecChart key={spec.id} {...view} spec={spec} grid={found} samples={samples}>
              {spec.id === 'network' && <NetworkUnit />}
            </SpecChart>
          ))}
        </div>
      )}
    </Loaded>
  );
}

function NetworkUnit() {
  const isBits = networkUnit.value === 'bits';
  return (
    <button
      type="button"
      class="tag"
      title={t.agent.networkUnit}
      onClick={() => chooseNetworkUnit(isBits ? 'bytes' : 'bits')}
    >
      {isBits ? 'bit/s' : 'B/s'}
    </button>
  );
}

export const ChartSkeletons = ({ count }: { readonly count: number }) => (
  <div class="agent-charts">
    {Array.from({ length: count }, (_, at) => (
      <div key={at} class="card agent-chart">
        <Skeleton rows={8} />
      </div>
    ))}
  </div>
);
