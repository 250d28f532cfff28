import { useEffect, useRef, useState } from 'preact/hooks';
import { navigate } from '../../../frame/index.ts';
import { Confirm } from '../../../parts/index.ts';
import { t } from '../../../strings/index.ts';

interface Props {
  /** Address to which people go back. */
  readonly to: string;
  readonly isChanged: boolean;
}

/** Escape leaves a form; where something was changed it asks first. */
export function LeaveByEscape({ to, isChanged }: Props) {
  const [isAsking, setAsking] = useState(false);
  const hasChanged = useRef(isChanged);
  hasChanged.current = isChanged;
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.key !== 'Escape' || event.isComposing || event.defaultPrevented) return;
      if (isElsewhere(event.target)) return;
      // Else the same key closes the dialog that it opens.
      event.preventDefault();
      if (hasChanged.current) setAsking(true);
      else navigate(to);
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, [to]);
  if (!isAsking) return null;
  return (
    <Confirm
      title={t.monitors.leaveTitle}
      action={t.monitors.leave}
      onClose={() => setAsking(false)}
      onConfirm={async () => navigate(to)}
    >
      <p>{t.monitors.leaveText}</p>
    </Confirm>
  );
}

/** Tells whether the key is meant for something else: a dialog that it closes, a search that it empties. */
const isElsewhere = (target: EventTarget | null): boolean =>
  document.querySelector('dialog[open]') !== null ||
  (target instanceof HTMLInputElement && target.type === 'search' && target.value !== '');
