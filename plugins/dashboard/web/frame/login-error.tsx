import { RpcError } from '@svc/client';
import { Command, ErrorNote } from '../parts/index.ts';
import { t } from '../strings/index.ts';

/** Replaces the token and the password of root; FILE is the server's configuration. */
const ROLL = 'npx svc-server roll-super-token -c FILE';
const UNKNOWN = 'Permission denied: Invalid credentials';

interface Props {
  readonly error: unknown;
  /** Undefined: a token was typed. */
  readonly user: string | undefined;
}

/** Reason why the log-in failed, and the way in again. The server's words for a wrong credential are for programs. */
export function LoginError({ error, user }: Props) {
  if (!(error instanceof RpcError)) return <ErrorNote error={error} />;
  if (error.message !== UNKNOWN) return <ErrorNote error={error} />;
  const isRoot = user === undefined || user === 'root';
  return (
    <>
      <ErrorNote error={new Error(user === undefined ? t.login.wrong : t.login.wrongPassword)} />
      {user !== 'root' && <p class="hint">{t.login.askOwner}</p>}
      {isRoot && (
        <div class="stack">
          <p class="hint">{user === undefined ? t.login.lostToken : t.login.lostPassword}</p>
          <Command text={ROLL} />
        </div>
      )}
    </>
  );
}
