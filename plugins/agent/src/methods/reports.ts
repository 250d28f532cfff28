import { canonicalUuid, described, type Methods, Type } from '@svc/plugin-sdk';
import { DYNAMIC, STATIC, SUMMARY } from '../kinds.ts';
import { mayWrite } from '../permissions.ts';
import type { Report } from '../reports.ts';
import { DynamicReport } from '../schemas/dynamic.ts';
import { StaticReport } from '../schemas/static.ts';
import { SummaryReport } from '../schemas/summary.ts';

export interface ReportMethods {
  readonly static: Report<StaticReport>;
  readonly dynamic: Report<DynamicReport>;
  readonly summary: Report<SummaryReport>;
}

const Buffered = Type.Object({ status: Type.Literal('buffered') });
const Skipped = Type.Object({
  status: Type.Literal('skipped'),
  reason: Type.Literal('duplicate_hash'),
});

/** `agent_report_*` (agent.md §5). Answered after the commit. */
export function addReportMethods(methods: Methods, report: ReportMethods): void {
  const writeStatic = mayWrite(STATIC);
  const writeDynamic = mayWrite(DYNAMIC);
  const writeSummary = mayWrite(SUMMARY);

  methods.add('agent_report_static', {
    summary: 'Stores hardware and system facts; a known hash only moves the stored time.',
    params: { static_monitoring_data: described(StaticReport, 'What the machine is made of.') },
    result: Type.Union([Buffered, Skipped]),
    logsRefusals: true,
    gathered: true,
    access: { needs: ({ static_monitoring_data: { uuid } }) => writeStatic(canonicalUuid(uuid)) },
    handle: ({ static_monitoring_data }) => report.static(static_monitoring_data),
  });

  methods.add('agent_report_dynamic', {
    summary: 'Stores a full report.',
    params: {
      dynamic_monitoring_data: described(DynamicReport, 'The state of the machine, in full.'),
    },
    result: Buffered,
    logsRefusals: true,
    gathered: true,
    access: { needs: ({ dynamic_monitoring_data: { uuid } }) => writeDynamic(canonicalUuid(uuid)) },
    handle: ({ dynamic_monitoring_data }) => report.dynamic(dynamic_monitoring_data),
  });

  methods.add('agent_report_dynamic_summary', {
    summary: 'Stores a summary; `cpu_usage` and the loads come times ten.',
    params: { data: described(SummaryReport, 'The state of the machine in figures.') },
    result: Buffered,
    logsRefusals: true,
    gathered: true,
    access: { needs: ({ data: { uuid } }) => writeSummary(canonicalUuid(uuid)) },
    handle: ({ data }) => report.summary(data),
  });
}
