import { Button, Command, Dialog } from '../../../parts/index.ts';
import { t } from '../../../strings/index.ts';
import type { Made } from '../model.ts';

/** The only time that the secret is seen. */
export const Secret = ({
  made,
  username = '',
  onClose,
}: {
  readonly made: Made;
  /** User who logs in with a password and needs no secret. */
  readonly username?: string;
  readonly onClose: () => void;
}) => (
  <Dialog
    title={t.tokens.secretTitle}
    onClose={onClose}
    actions={
      <>
        <span class="grow" />
        <Button kind="primary" onClick={onClose}>
          {t.tokens.kept}
        </Button>
      </>
    }
  >
    <p>{t.tokens.secretText}</p>
    {username !== '' && <p>{t.tokens.secretOfPerson(username)}</p>}
    <Command text={`${made.key}:${made.secret}`} />
  </Dialog>
);
