import type { ComponentChildren } from 'preact';
import { Confirm, Diff } from '../../../parts/index.ts';
import { t } from '../../../strings/index.ts';
import { useConfigurationSave } from '../model.ts';

interface Props {
  readonly before: string;
  readonly after: string;
  /** Warning about the change. */
  readonly children: ComponentChildren;
  readonly onClose: () => void;
  readonly onSaved: () => void;
}

/** Shows what a change of the configuration file is, and saves it. */
export function SaveConfiguration({ before, after, children, onClose, onSaved }: Props) {
  const save = useConfigurationSave();
  return (
    <Confirm
      title={t.server.configuration.ask}
      action={t.server.configuration.save}
      onClose={onClose}
      onConfirm={() => save(after).then(onSaved)}
    >
      {children}
      <Diff before={before} after={after} />
    </Confirm>
  );
}
