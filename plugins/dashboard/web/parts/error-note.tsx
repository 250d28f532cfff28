import { ConnectionError, RpcError } from '@svc/client';
import { RotateCw, TriangleAlert } from 'lucide';
import { t } from '../strings/index.ts';
import { Button } from './button.tsx';
import { Icon } from './icon.tsx';
import { plain } from './plain.ts';

/** Returns what went wrong, in words for a person. */
export function errorText(error: unknown): string {
  if (error instanceof ConnectionError) return error.sent ? t.parts.lostSent : t.parts.lost;
  if (error instanceof DOMException && error.name === 'TimeoutError') return t.parts.late;
  return plain(error instanceof Error ? error.message : String(error));
}

/** Text that begins as a sentence does; a name in code at its beginning stays as it is. */
export const sentenceOf = (text: string): string =>
  /^[a-z]+[ ,;]/.test(text) ? text.charAt(0).toUpperCase() + text.slice(1) : text;

/** Tells whether the server denied a right: the answer is not "try again". */
export const isDenied = (error: unknown): boolean =>
  error instanceof RpcError && error.code === 102;

interface Props {
  readonly error: unknown;
  /** Sentence on what failed: "The list of jobs could not be read." */
  readonly what?: string;
  readonly onRetry?: () => void;
}

export function ErrorNote({ error, what, onRetry }: Props) {
  return (
    <div class="note bad" role="alert">
      <Icon of={TriangleAlert} />
      <div class="grow">
        {what && <strong>{what} </strong>}
        <span>{sentenceOf(errorText(error))}</span>
      </div>
      {onRetry && !isDenied(error) && (
        <Button icon={RotateCw} onClick={onRetry}>
          {t.parts.retry}
        </Button>
      )}
    </div>
  );
}
