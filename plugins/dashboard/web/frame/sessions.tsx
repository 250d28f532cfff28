import { signal } from '@preact/signals';
import { useState } from 'preact/hooks';
import { Button, Dialog, ErrorNote, format } from '../parts/index.ts';
import { t } from '../strings/index.ts';
import { Loaded } from './loaded.tsx';
import { usePoll } from './resources.ts';
import { logOut, useServer } from './server.ts';

export const areSessionsOpen = signal(false);
const close = () => {
  areSessionsOpen.value = false;
};

/** Dialog of the sessions of this token, and the way to end them. */
export function Sessions() {
  const { call } = useServer();
  const [error, setError] = useState<unknown>();
  const list = usePoll('sessions', () => call('session_list'));
  const end = async (
    params: { readonly key: string } | { readonly all: true },
    isMine: boolean,
  ) => {
    try {
      await call('session_revoke', params);
      if (isMine) {
        close();
        logOut();
      } else list.refresh();
    } catch (failure) {
      setError(failure);
    }
  };
  return (
    <Dialog
      title={t.frame.sessions}
      onClose={close}
      actions={
        <>
          <span class="grow" />
          <Button kind="danger" onClick={() => void end({ all: true }, true)}>
            {t.frame.endAll}
          </Button>
        </>
      }
    >
      <p class="muted">{t.frame.sessionsText}</p>
      {error !== undefined && <ErrorNote error={error} />}
      <Loaded of={list} what={t.frame.unreadableSessions}>
        {({ sessions }) => (
          <ul class="sessions">
            {sessions.map(({ key, name, made_at, ends_at, used_at, used_from, current }) => (
              <li key={key} class="row">
                <div class="grow">
                  <strong>{name || key}</strong>{' '}
                  {current && <span class="tag">{t.frame.thisSession}</span>}
                  <p class="muted small">
                    {t.frame.sessionUsed(
                      format.when(used_from === '' ? made_at : used_at),
                      used_from,
                    )}{' '}
                    · {t.frame.sessionEnds(format.when(ends_at))}
                  </p>
                </div>
                <Button onClick={() => void end({ key }, current)}>{t.frame.endSession}</Button>
              </li>
            ))}
          </ul>
        )}
      </Loaded>
    </Dialog>
  );
}
