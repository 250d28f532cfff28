import { Link, to } from '../../frame/index.ts';
import { type Column, format } from '../../parts/index.ts';
import { t } from '../../strings/index.ts';
import { GaugeAmount, GaugeBar, ProblemText, Rate } from './figures.tsx';
import { GAUGES, type GaugeId, gaugeOf } from './gauges.ts';
import type { Vital } from './model.ts';
import type { Problem } from './problems.ts';

type ProblemsOf = (vital: Vital) => readonly Problem[];

export interface FleetColumn extends Column<Vital> {
  /** Tells whether it is always shown. */
  readonly isFixed?: boolean;
}

/** Columns that can be shown, in order. */
export const columnsOf = (problemsOf: ProblemsOf): readonly FleetColumn[] => [
  nameColumn(),
  stateColumn(problemsOf),
  ...GAUGES.map(gaugeColumn),
  rateColumn('down', t.fleet.down, 'receive_speed'),
  rateColumn('up', t.fleet.upload, 'transmit_speed'),
  loadColumn(),
  {
    id: 'tags',
    label: t.fleet.tags,
    width: 'minmax(96px, 0.9fr)',
    render: ({ machine }) =>
      machine?.tags?.map((tag) => (
        <span key={tag} class="tag">
          {tag}
        </span>
      )),
  },
  {
    id: 'address',
    label: t.fleet.address,
    width: '132px',
    by: ({ machine }) => machine?.address ?? undefined,
    render: ({ machine }) => <span class="mono">{machine?.address}</span>,
  },
];

const nameColumn = (): FleetColumn => ({
  id: 'name',
  label: t.fleet.name,
  width: 'minmax(130px, 1.3fr)',
  by: ({ name }) => name,
  isFixed: true,
  render: ({ uuid, name }) => (
    <Link to={to('agent', uuid)} class="fleet-name" title={`${name} · ${uuid}`}>
      {name}
    </Link>
  ),
});

const stateColumn = (problemsOf: ProblemsOf): FleetColumn => ({
  id: 'state',
  label: t.fleet.state,
  width: 'minmax(176px, 1.76fr)',
  by: (vital) => (vital.isOnline ? (problemsOf(vital).length > 0 ? 1 : 2) : 0),
  isFixed: true,
  render: (vital) => {
    const [worst] = problemsOf(vital);
    const uptime = vital.row?.uptime;
    if (!worst)
      return (
        <span class="muted">{uptime == null ? '' : t.fleet.up(format.roughly(uptime * 1000))}</span>
      );
    return (
      <span class={`fleet-state ${worst.mood}`} title={worst.text}>
        <ProblemText of={worst} text={worst.short ?? worst.text} />
      </span>
    );
  },
});

const gaugeColumn = (id: GaugeId): FleetColumn => ({
  id,
  label: t.fleet[id],
  width: '112px',
  end: true,
  by: (vital) => gaugeOf(id, vital).percent,
  render: (vital) => (
    <div class="fleet-cell" title={gaugeOf(id, vital).title}>
      <GaugeBar id={id} vital={vital} />
      <GaugeAmount id={id} vital={vital} />
    </div>
  ),
});

const rateColumn = (
  id: string,
  label: string,
  of: 'receive_speed' | 'transmit_speed',
): FleetColumn => ({
  id,
  label,
  width: '104px',
  end: true,
  by: ({ row }) => row?.[of] ?? undefined,
  render: ({ row }) => <Rate row={row} of={of} />,
});

const loadColumn = (): FleetColumn => ({
  id: 'load',
  label: t.fleet.load,
  width: '64px',
  end: true,
  by: ({ row }) => row?.load_one ?? undefined,
  render: ({ row }) => (
    <span class="num">{row?.load_one == null ? '–' : format.number(row.load_one, 2)}</span>
  ),
});
