import { useMemo } from 'preact/hooks';
import { address, Loaded, setQuery, useCrumbs } from '../../frame/index.ts';
import { Select } from '../../parts/index.ts';
import {
  keyOfProbe,
  NoProbes,
  type Probe,
  useProbes,
  useTotals,
  useUsual,
} from '../../parts/probe/index.ts';
import { t } from '../../strings/index.ts';
import { Detail } from './detail.tsx';
import { Matrix, type Metric } from './matrix.tsx';
import { RANGES, type Range } from './ranges.ts';
import './probes.css';

/** Targets × agents, and the curves behind them. The choice stands in the address. */
export default function Probes() {
  const probes = useProbes();
  return (
    <div class="page">
      <Loaded of={probes} what={t.probes.unreadable}>
        {(list) => (list.length === 0 ? <NoProbes /> : <Found list={list} />)}
      </Loaded>
    </div>
  );
}

function Found({ list }: { readonly list: readonly Probe[] }) {
  const { query } = address.value;
  const wanted = query.get('range') as Range | null;
  const range: Range = wanted !== null && Object.hasOwn(RANGES, wanted) ? wanted : '1h';
  const metric: Metric = query.get('metric') === 'loss' ? 'loss' : 'latency';
  const kind = query.get('kind') ?? '';
  const shown = useMemo(() => list.filter((one) => kind === '' || one.kind === kind), [list, kind]);
  const totals = useTotals(shown, RANGES[range]);
  const usual = useUsual(shown);
  const key = query.get('probe') ?? '';
  const asked = list.find((one) => keyOfProbe(one) === key);
  const chosen = asked ?? shown[0];
  const agent = query.get('machine') ?? undefined;
  useCrumbs(...(asked ? [{ label: asked.target }] : []));
  const kinds = [...new Set(list.map((one) => one.kind))];
  return (
    <div class="stack">
      <div class="page-head">
        <h1 class="probes-title">{t.frame.pages.probes}</h1>
        {kinds.length > 1 && (
          <Select
            bare
            label={t.probes.kind}
            value={kind}
            options={[
              { value: '', label: t.probes.allKinds },
              ...kinds.map((value) => ({ value: value as string, label: t.probes.kinds[value] })),
            ]}
            onChange={(value) => setQuery({ kind: value })}
          />
        )}
        <Select<Metric>
          bare
          label={t.probes.metric}
          value={metric}
          options={[
            { value: 'latency', label: t.probes.latency },
            { value: 'loss', label: t.probes.loss },
          ]}
          onChange={(value) => setQuery({ metric: value })}
        />
        <Select<Range>
          bare
          label={t.agent.range.label}
          value={range}
          options={(Object.keys(RANGES) as Range[]).map((value) => ({
            value,
            label: t.agent.range.last(t.agent.range.presets[value]),
          }))}
          onChange={(value) => setQuery({ range: value })}
        />
      </div>
      <Loaded of={totals} what={t.probes.unreadable}>
        {(found) => (
          <Matrix
            probes={shown}
            totals={found}
            usual={usual}
            metric={metric}
            chosen={key}
            agent={agent}
          />
        )}
      </Loaded>
      {chosen && (
        <Detail
          key={`${keyOfProbe(chosen)} ${agent ?? ''}`}
          probe={chosen}
          agent={asked && agent}
          isAsked={asked !== undefined}
          ms={RANGES[range]}
          totals={totals.data}
          usual={usual}
        />
      )}
    </div>
  );
}
