import { Diff, FormDialog, prettyJson } from '../../../../parts/index.ts';
import { t } from '../../../../strings/index.ts';
import type { Review } from '../model.ts';

interface Props {
  readonly name: string;
  readonly review: Review;
  readonly value: unknown;
  readonly onClose: () => void;
  readonly onSave: () => Promise<void>;
}

/** Everything that saving changes, line by line. */
export const ReviewDialog = ({ name, review, value, onClose, onSave }: Props) => (
  <FormDialog
    title={t.stores.reviewTitle(name)}
    action={t.stores.save}
    wide
    onClose={onClose}
    onSubmit={onSave}
  >
    {review.isStale && <p class="note warn">{t.stores.conflict}</p>}
    <Diff
      before={review.before === undefined ? '' : prettyJson(review.before)}
      after={prettyJson(value)}
    />
  </FormDialog>
);
