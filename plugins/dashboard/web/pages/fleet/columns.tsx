import { Link, to } from '../../frame/index.ts';
import { Amount, Bar, type Column, format, Icon } from '../../parts/index.ts';
import { networkRate } from '../../parts/network-unit.ts';
import { boundsOf, spaceMood } from '../../parts/space.ts';
import { t } from '../../strings/index.ts';
import { partOf } from './card.tsx';
import { usedSpace, type Vital } from './model.ts';
import type { Problem } from './problems.ts';

/** What can be shown, in order. The first three stay. */
export function columnsOf(
  problemsOf: (vital: Vital) => readonly Problem[],
): (Column<Vital> & { readonly isFixed?: boolean })[] {
  const part = (
    value: number | undefined,
    figure: format.Figure | undefined,
    label: string,
    more: { readonly title?: string; readonly warn?: number; readonly bad?: number } = {},
  ) => (
    <div class="fleet-cell" title={more.title}>
      <Bar value={value} label={label} {...more} />
      <Amount of={figure} />
    </div>
  );
  return [
    {
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
    },
    {
      id: 'state',
      label: t.fleet.state,
      width: 'minmax(176px, 1.76fr)',
      by: (vital) => (vital.isOnline ? (problemsOf(vital).length > 0 ? 1 : 2) : 0),
      isFixed: true,
      render: (vital) => {
        const [worst] = problemsOf(vital);
        if (!worst)
          return (
            <span class="muted">
              {vital.row?.uptime == null ? '' : t.fleet.up(format.roughly(vital.row.uptime * 1000))}
            </span>
          );
        return (
          <span class={`fleet-state ${worst.mood}`} title={worst.text}>
            <Icon of={worst.icon} size={14} />
            <span class="ellipsis">{worst.short ?? worst.text}</span>
          </span>
        );
      },
    },
    {
      id: 'cpu',
      label: t.fleet.cpu,
      width: '112px',
      end: true,
      by: ({ row }) => row?.cpu_usage ?? undefined,
      render: ({ row, name }) =>
        part(
          (row?.cpu_usage ?? 0) / 100,
          row?.cpu_usage == null ? undefined : format.percent(row.cpu_usage),
          `${t.fleet.cpu}, ${name}`,
          { warn: 0.9, bad: 2 },
        ),
    },
    {
      id: 'memory',
      label: t.fleet.memory,
      width: '112px',
      end: true,
      by: ({ memory }) => memory,
      render: ({ row, memory, name }) =>
        part(
          memory,
          memory === undefined ? undefined : format.percent(memory * 100),
          `${t.fleet.memory}, ${name}`,
          { title: partOf(row?.used_memory, row?.total_memory), warn: 0.9, bad: 0.97 },
        ),
    },
    {
      id: 'disk',
      label: t.fleet.disk,
      width: '112px',
      end: true,
      by: ({ disk }) => disk,
      render: ({ disk, row, name }) =>
        part(
          disk,
          disk === undefined ? undefined : format.percent(disk * 100),
          `${t.fleet.disk}, ${name}`,
          {
            title: partOf(usedSpace(row), row?.total_space),
            ...boundsOf(spaceMood(row?.total_space, row?.available_space)),
          },
        ),
    },
    {
      id: 'down',
      label: t.fleet.down,
      width: '104px',
      end: true,
      by: ({ row }) => row?.receive_speed ?? undefined,
      render: ({ row }) => (
        <Amount of={row?.receive_speed == null ? undefined : networkRate(row.receive_speed)} />
      ),
    },
    {
      id: 'up',
      label: t.fleet.upload,
      width: '104px',
      end: true,
      by: ({ row }) => row?.transmit_speed ?? undefined,
      render: ({ row }) => (
        <Amount of={row?.transmit_speed == null ? undefined : networkRate(row.transmit_speed)} />
      ),
    },
    {
      id: 'load',
      label: t.fleet.load,
      width: '64px',
      end: true,
      by: ({ row }) => row?.load_one ?? undefined,
      render: ({ row }) => (
        <span class="num">{row?.load_one == null ? '–' : format.number(row.load_one, 2)}</span>
      ),
    },
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
}
