import { useMemo } from 'preact/hooks';
import { Loaded } from '../../frame/index.ts';
import { Card } from '../../parts/index.ts';
import {
  Figures,
  keyOfProbe,
  Latency,
  NoProbes,
  type Probe,
  Reasons,
  useFailures,
  useProbes,
  useSeries,
  useTotals,
  useUsual,
} from '../../parts/probe/index.ts';
import { t } from '../../strings/index.ts';
import { RangePicker } from './charts/range-picker.tsx';
import { endsOf, useSpan } from './charts/span.ts';
import { useView, type View } from './charts/view.ts';
import type { Event } from './events/model.ts';
import { Shortened } from './shortened.tsx';

interface Props {
  readonly uuid: string;
  readonly name: string;
  readonly events: readonly Event[];
}

const AT_FIRST = 8;
const TASKS_KEPT_MS = 30 * 86_400_000;

/** Measurements of the agent: loss and percentiles of each target. */
export function AgentProbes({ uuid, name, events }: Props) {
  const span = useSpan();
  const view = useView(span, name, events);
  const probes = useProbes(uuid);
  return (
    <Loaded of={probes} what={t.probes.unreadable}>
      {(list) =>
        list.length === 0 ? (
          <NoProbes uuid={uuid} onAdded={probes.refresh} />
        ) : (
          <div class="stack">
            <RangePicker
              span={span}
              now={view.now}
              keptFrom={view.now - TASKS_KEPT_MS}
              onBack={view.onBack}
            />
            <Shortened list={list} first={AT_FIRST}>
              {(shown) => <Targets uuid={uuid} probes={shown} view={view} />}
            </Shortened>
          </div>
        )
      }
    </Loaded>
  );
}

interface TargetsProps {
  readonly uuid: string;
  readonly probes: readonly Probe[];
  readonly view: View;
}

function Targets({ uuid, probes, view }: TargetsProps) {
  const totals = useTotals(probes, view.span.ms);
  const usual = useUsual(probes);
  return (
    <>
      {probes.map((probe) => {
        const key = `${keyOfProbe(probe)} ${uuid}`;
        const of = totals.data?.get(key);
        return (
          <Target
            key={key}
            uuid={uuid}
            probe={probe}
            view={view}
            hasFailed={(of?.loss ?? 0) > 0}
            figures={
              view.span.preset !== undefined && of && <Figures of={of} usual={usual?.get(key)} />
            }
          />
        );
      })}
    </>
  );
}

interface TargetProps {
  readonly uuid: string;
  readonly probe: Probe;
  readonly view: View;
  /** Something was lost within the last span. */
  readonly hasFailed: boolean;
  readonly figures: import('preact').ComponentChildren;
}

function Target({ uuid, probe, view, hasFailed, figures }: TargetProps) {
  const { span, now, name } = view;
  const failures = useFailures(probe, hasFailed ? [uuid] : [], span.ms);
  const mine = useMemo(() => ({ ...probe, agents: [uuid] }), [probe, uuid]);
  const curves = useSeries(mine, {
    ms: span.ms,
    to: span.preset === undefined ? span.to : undefined,
  });
  const [from, to] = endsOf(span, now);
  const jobs = probe.jobs.join(', ');
  return (
    <Card
      title={
        <>
          {probe.target} <span class="tag probe-kind">{t.probes.kinds[probe.kind]}</span>
        </>
      }
      actions={jobs && <span class="muted small ellipsis">{t.probes.byJob(jobs)}</span>}
    >
      <div class="stack">
        {figures}
        <Reasons kind={probe.kind} failures={failures} isOne />
        <Loaded of={curves} what={t.probes.unreadable}>
          {(found) => (
            <Latency
              {...view}
              of={found}
              from={from}
              to={to}
              nameOf={() => name}
              isAll
              sync="agent"
              file={`${name} ${probe.target}`}
            />
          )}
        </Loaded>
      </div>
    </Card>
  );
}
