import { useServer } from '../../../frame/index.ts';
import { Empty } from '../../../parts/index.ts';
import { t } from '../../../strings/index.ts';
import { useMarks } from '../alerts/model.ts';
import type { Event } from '../events/model.ts';
import type { Reports } from '../reports.ts';
import { Full } from './full.tsx';
import { RangePicker } from './range-picker.tsx';
import { useSpan } from './span.ts';
import { summarySpecs } from './specs.ts';
import { Summaries } from './summaries.tsx';
import { useKept, useView } from './view.ts';

interface Props {
  readonly uuid: string;
  readonly name: string;
  readonly reports: Reports;
  readonly events: readonly Event[];
}

/** Charts of every field of one agent. */
export function Charts({ uuid, name, reports, events }: Props) {
  const { has, covers } = useServer();
  const span = useSpan();
  const marks = useMarks(uuid);
  const view = { ...useView(span, name, events), marks };
  const kept = useKept(uuid);
  if (!has('series')) return <Empty title={t.agent.noSeries}>{t.frame.off('series')}</Empty>;
  const reads = (field: string) => covers('dynamic_monitoring', 'read', uuid, field);
  return (
    <div class="stack">
      <RangePicker span={span} now={view.now} keptFrom={kept} onBack={view.onBack} />
      <Summaries uuid={uuid} view={view} reports={reports} specs={summarySpecs} />
      <Full uuid={uuid} view={view} reads={reads} />
    </div>
  );
}
