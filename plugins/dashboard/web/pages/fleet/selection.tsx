import { ListChecks, Tag, Timer, Trash2, X } from 'lucide';
import { useState } from 'preact/hooks';
import { navigate, to } from '../../frame/index.ts';
import { Button } from '../../parts/index.ts';
import { t } from '../../strings/index.ts';
import { RemoveDialog, RetentionDialog, TagDialog } from './dialogs/selection.tsx';
import type { Vital } from './model.ts';
import { useSelectionRights } from './selection-model.ts';

interface Props {
  readonly chosen: readonly Vital[];
  readonly onClear: () => void;
  /** Something has changed on the server. */
  readonly onChanged: () => void;
}

/** Actions for the machines that are selected. */
export function Selection({ chosen, onClear, onChanged }: Props) {
  const { mayTask, mayWrite, mayRemove } = useSelectionRights(chosen);
  const [open, setOpen] = useState<'tags' | 'retention' | 'remove'>();
  const dialog = { chosen, onClose: () => setOpen(undefined), onChanged };
  const machine = chosen.map(({ uuid }) => uuid).join(',');
  return (
    <div class="fleet-actions" role="region" aria-label={t.fleet.selected(chosen.length)}>
      <strong>{t.fleet.selected(chosen.length)}</strong>
      <span class="grow" />
      {mayTask && (
        <Button icon={ListChecks} onClick={() => navigate(to('tasks', { machine }))}>
          {t.fleet.runTask}
        </Button>
      )}
      {mayWrite && (
        <>
          <Button icon={Tag} onClick={() => setOpen('tags')}>
            {t.fleet.tag}
          </Button>
          <Button icon={Timer} onClick={() => setOpen('retention')}>
            {t.fleet.retention}
          </Button>
        </>
      )}
      {mayRemove && (
        <Button kind="danger" icon={Trash2} onClick={() => setOpen('remove')}>
          {t.fleet.remove}
        </Button>
      )}
      <Button kind="quiet" icon={X} label={t.fleet.clear} onClick={onClear} />
      {open === 'tags' && <TagDialog {...dialog} />}
      {open === 'retention' && <RetentionDialog {...dialog} />}
      {open === 'remove' && <RemoveDialog {...dialog} onRemoved={onClear} />}
    </div>
  );
}
