import { useState } from 'preact/hooks';
import { Checkbox, Confirm } from '../../../parts/index.ts';
import { t } from '../../../strings/index.ts';
import { useRemoval } from '../model.ts';

interface Props {
  readonly uuid: string;
  readonly name: string;
  readonly onClose: () => void;
}

/** Takes an agent out of the lists; with its history and notes, if the person wants. */
export function Remove({ uuid, name, onClose }: Props) {
  const remove = useRemoval(uuid, name);
  const [withHistory, setHistory] = useState(false);
  return (
    <Confirm
      title={t.agent.remove.title(name)}
      action={withHistory ? t.agent.remove.actionAll : t.agent.remove.action}
      onClose={onClose}
      onConfirm={() => remove(withHistory)}
    >
      <p>{t.agent.remove.lists}</p>
      <p>{t.agent.remove.back}</p>
      <Checkbox label={t.agent.remove.history} checked={withHistory} onChange={setHistory} />
      {withHistory && <p class="note warn">{t.agent.remove.lost}</p>}
    </Confirm>
  );
}
