import { Button, ErrorNote } from '../../../parts/index.ts';
import { t } from '../../../strings/index.ts';

/** The end of a form: what failed, and the button. */
export function Save({ error, isBusy }: { readonly error: unknown; readonly isBusy: boolean }) {
  return (
    <>
      {error !== undefined && <ErrorNote error={error} what={t.agent.settings.failed} />}
      <div>
        <Button type="submit" kind="primary" busy={isBusy}>
          {t.agent.save}
        </Button>
      </div>
    </>
  );
}
