import { Confirm, format } from '../../../../parts/index.ts';
import { t } from '../../../../strings/index.ts';
import type { Entry } from '../entries.ts';

interface DialogProps {
  readonly onClose: () => void;
  readonly onConfirm: () => Promise<void>;
}

interface RemoveProps extends DialogProps {
  readonly folder: string;
  readonly files: readonly Entry[];
}

/** Asks before everything in a folder is deleted. */
export function RemoveFiles({ folder, files, ...rest }: RemoveProps) {
  const bytes = files.reduce((sum, { size }) => sum + size, 0);
  return (
    <Confirm
      title={t.stores.removeFilesTitle(folder.slice(0, -1))}
      action={t.stores.remove}
      {...rest}
    >
      <p>{t.stores.removeFilesText(files.length, format.text(format.bytes(bytes)))}</p>
    </Confirm>
  );
}

/** Paths that are named; the others are left out. */
const MOST_PATHS = 10;

interface ReplaceProps extends DialogProps {
  readonly paths: readonly string[];
}

/** Asks before uploads replace files. */
export const ReplaceFiles = ({ paths, ...rest }: ReplaceProps) => (
  <Confirm title={t.stores.replaceTitle(paths.length)} action={t.stores.replaceAction} {...rest}>
    <p>{t.stores.replaceText}</p>
    <ul class="stores-taken">
      {paths.slice(0, MOST_PATHS).map((path) => (
        <li key={path} class="mono">
          {path}
        </li>
      ))}
      {paths.length > MOST_PATHS && <li>…</li>}
    </ul>
  </Confirm>
);
