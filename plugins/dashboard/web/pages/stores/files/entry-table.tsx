import { CornerLeftUp, File, Folder, Upload } from 'lucide';
import { useState } from 'preact/hooks';
import { Link, navigate } from '../../../frame/index.ts';
import {
  Amount,
  type Column,
  Empty,
  format,
  Icon,
  type Sort,
  sorted,
  Table,
} from '../../../parts/index.ts';
import { t } from '../../../strings/index.ts';
import type { Line } from './entries.ts';
import { parentOf, toFolder } from './paths.ts';

const columnsOf = (): readonly Column<Line>[] => [
  {
    id: 'name',
    label: t.stores.file,
    width: 'minmax(140px, 1fr)',
    by: ({ name, isFolder }) => (isFolder ? ` ${name}` : name),
    render: (line) => (
      <Link to={line.to} class="stores-file" title={line.name}>
        <Icon of={line.isFolder ? Folder : File} />
        <span class="ellipsis">{line.name}</span>
      </Link>
    ),
  },
  {
    id: 'size',
    label: t.stores.size,
    width: '92px',
    end: true,
    by: ({ size }) => size,
    render: ({ size }) => <Amount of={format.bytes(size)} title={format.exact(size, 'B')} />,
  },
  {
    id: 'modified',
    label: t.stores.modified,
    width: '140px',
    end: true,
    by: ({ mtime }) => mtime,
    render: ({ isFolder, count, mtime }) =>
      isFolder ? (
        <span class="muted">{t.stores.items(count)}</span>
      ) : (
        mtime > 0 && <time title={format.dateTime(mtime)}>{format.when(mtime)}</time>
      ),
  },
];

interface Props {
  readonly bucket: string;
  readonly folder: string;
  readonly lines: readonly Line[];
  /** The file that is previewed: next to it there is room for names only. */
  readonly current: string | null;
  readonly mayWrite: boolean;
}

/** Files and folders of a folder, and the way up. */
export function EntryTable({ bucket, folder, lines, current, mayWrite }: Props) {
  const [sort, setSort] = useState<Sort>();
  const columns = columnsOf().slice(0, current === null ? undefined : 1);
  return (
    <>
      {folder !== '' && (
        <Link to={toFolder(bucket, parentOf(folder))} class="stores-file stores-up">
          <Icon of={CornerLeftUp} />
          <span>..</span>
        </Link>
      )}
      {lines.length === 0 ? (
        <Empty icon={Upload} title={t.stores.noFiles}>
          {mayWrite && t.stores.noFilesText}
        </Empty>
      ) : (
        <Table
          label={t.stores.files}
          columns={columns}
          rows={sorted(lines, columns, sort)}
          keyOf={({ name, isFolder }) => `${isFolder} ${name}`}
          sort={sort}
          onSort={setSort}
          onOpen={(line) => navigate(line.to)}
          isSelected={(line) => current !== null && line.to.endsWith(encodeURIComponent(current))}
          rowHeight={40}
        />
      )}
    </>
  );
}
