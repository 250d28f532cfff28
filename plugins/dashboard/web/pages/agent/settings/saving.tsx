import { useMachines } from '../../../frame/index.ts';
import { Button, ErrorNote, toast, useWork } from '../../../parts/index.ts';
import { t } from '../../../strings/index.ts';
import { type Stored, useMetadata } from './model.ts';

export interface PartProps {
  readonly uuid: string;
  readonly values: Stored;
  readonly onSaved: () => void;
}

/** Stores what has changed, one key after the other. */
export function useSaving({ uuid, values, onSaved }: PartProps) {
  const { save } = useMetadata(uuid);
  const { refresh } = useMachines();
  return useWork(async (changed: Stored) => {
    for (const [key, value] of Object.entries(changed))
      if (!isSame(value, values[key])) await save(key, value);
    toast(t.agent.settings.saved);
    onSaved();
    await refresh();
  });
}

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

/** A number that is shown in a field comes back as its text. */
const isSame = (value: unknown, stored: unknown) =>
  typeof value === 'object'
    ? JSON.stringify(value) === JSON.stringify(stored)
    : String(value ?? '') === String(stored ?? '');
