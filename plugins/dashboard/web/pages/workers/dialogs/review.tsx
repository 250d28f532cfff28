import { wire } from '../../../frame/index.ts';
import { Diff, FormDialog } from '../../../parts/index.ts';
import { t } from '../../../strings/index.ts';
import { draftOf, effectsOf, type Stored } from '../draft.ts';
import type { Edit } from '../model.ts';

interface Props {
  readonly name: string;
  readonly edit: Edit;
  /** Worker as the server has it. */
  readonly newest: Stored;
}

/** Says in words what deploying does, and shows it line by line. */
export function ReviewDialog({ name, edit, newest }: Props) {
  const { base, draft, endReview, deploy } = edit;
  const before = draftOf(newest);
  const path = (route: string) => `${wire('/svc/worker-route')}/${route}`;
  return (
    <FormDialog
      title={t.workers.saveTitle(name)}
      action={t.workers.deploy}
      wide
      onClose={endReview}
      onSubmit={deploy}
    >
      {newest.update_at !== base.update_at && <p class="note warn">{t.workers.conflict}</p>}
      <ul class="workers-effects">
        {effectsOf(before, draft, path).map((line) => (
          <li key={line}>{line}</li>
        ))}
      </ul>
      {before.script !== draft.script && <Diff before={before.script} after={draft.script} />}
    </FormDialog>
  );
}
