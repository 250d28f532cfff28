import { CopyButton, Dialog, prettyJson } from '../../../../parts/index.ts';
import { t } from '../../../../strings/index.ts';
import type { Row } from '../cells.ts';

interface Props {
  readonly at: number;
  readonly row: Row;
  readonly onClose: () => void;
}

/** One row as a whole. */
export function RowDialog({ at, row, onClose }: Props) {
  return (
    <Dialog title={t.stores.row(at)} wide onClose={onClose}>
      <dl class="stores-whole">
        {Object.entries(row).map(([name, value]) => {
          const text = typeof value === 'string' ? value : prettyJson(value);
          return (
            <>
              <dt>{name}</dt>
              <dd>
                <pre>{text}</pre>
                <CopyButton text={text} />
              </dd>
            </>
          );
        })}
      </dl>
    </Dialog>
  );
}
