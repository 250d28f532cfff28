import { Link, to } from '../../frame/index.ts';
import { Amount, Bar, type Column, format, Icon } from '../../parts/index.ts';
import { t } from '../../strings/index.ts';
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
    title?: string,
  ) => (
    <div class="fleet-cell" title={title}>
      <Bar value={value} label={label} />
      <Amount of={figure} />
    </div>
  );
  return [
    {
      id: 'name',
      label: t.fleet.name,
      width: 'minmax(130px, 2fr)',
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
      width: 'minmax(130px, 2fr)',
      by: (vital) => (vital.isOnline ? (problemsOf(vital).length > 0 ? 1 : 2) : 0),
      isFixed: true,
      render: (vital) => {
        const [worst] = problemsOf(vital);
        if (!worst)
          return (
            <span class="muted">
              {vital.row?.uptime == null
                ? ''
                : t.fleet.up(format.duration(vital.row.uptime * 1000))}
            </span>
          );
        return (
          <span class={`fleet-state ${worst.mood}`} title={worst.text}>
            <Icon of={worst.icon} size={14} />
            <span class="ellipsis">{worst.text}</span>
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
        ),
    },
    {
      id: 'memory',
      label: t.fleet.memory,
      width: '132px',
      end: true,
      by: ({ memory }) => memory,
      render: ({ row, memory, name }) =>
        part(
          memory,
          row?.used_memory == null ? undefined : format.bytes(row.used_memory),
          `${t.fleet.memory}, ${name}`,
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
          t.fleet.of2(
            format.text(format.bytes(usedSpace(row) ?? 0)),
            format.text(format.bytes(row?.total_space ?? 0)),
          ),
        ),
    },
    {
      id: 'down',
      label: t.fleet.down,
      width: '104px',
      end: true,
      by: ({ row }) => row?.receive_speed ?? undefined,
      render: ({ row }) => (
        <Amount of={row?.receive_speed == null ? undefined : format.bitRate(row.receive_speed)} />
      ),
    },
    {
      id: 'up',
      label: t.fleet.upload,
      width: '104px',
      end: true,
      by: ({ row }) => row?.transmit_speed ?? undefined,
      render: ({ row }) => (
        <Amount of={row?.transmit_speed == null ? undefined : format.bitRate(row.transmit_speed)} />
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
      width: 'minmax(96px, 1fr)',
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
