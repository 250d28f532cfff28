import { CopyButton, format, fromBase64, prettyJson, utf8Of } from '../../parts/index.ts';
import { t } from '../../strings/index.ts';
import { Failure } from './failure.tsx';
import type { Result } from './model.ts';

interface OutcomeProps {
  readonly name: string;
  readonly result: Result;
  readonly onLine: (line: number) => void;
}

const tookOf = ({ start_time, finish_time }: Result): string => {
  const ms = (finish_time ?? Date.now()) - (start_time ?? Date.now());
  return ms < 60_000 ? format.text(format.milliseconds(Math.max(0, ms))) : format.duration(ms);
};

export const stateOf = (result: Result): string => {
  if (!result.finish_time) return t.workers.running(tookOf(result));
  return result.error_message === null
    ? t.workers.success(tookOf(result))
    : t.workers.failure(tookOf(result));
};

/** Result of a run: a value, a response, or an error with the way to its line. */
export function Outcome({ name, result, onLine }: OutcomeProps) {
  const { error_message, run_type, finish_time } = result;
  return (
    <div class="stack workers-outcome">
      <p role="status" class={error_message === null ? 'muted' : 'workers-bad'}>
        {stateOf(result)}
      </p>
      {error_message !== null && <Failure text={error_message} name={name} onLine={onLine} />}
      {finish_time !== null &&
        error_message === null &&
        (run_type === 'route' ? (
          <Answer result={result.result} />
        ) : (
          <Text text={prettyJson(result.result)} />
        ))}
    </div>
  );
}

export function Text({ text }: { readonly text: string }) {
  return (
    <div class="workers-text">
      <CopyButton text={text} />
      <pre tabIndex={0} role="region" aria-label={t.workers.result}>
        {text}
      </pre>
    </div>
  );
}

interface Response {
  readonly status?: number;
  readonly headers?: readonly { readonly name: string; readonly value: string }[];
  readonly body_base64?: string;
}

/** A response as a client would see it; its body is shown as text and never runs. */
function Answer({ result }: { readonly result: unknown }) {
  const { status, headers = [], body_base64 = '' } = (result ?? {}) as Response;
  const body = fromBase64(body_base64);
  return (
    <>
      <p>
        <strong class="num">
          {t.workers.status} {status}
        </strong>
      </p>
      <dl class="workers-headers small">
        {headers.map((header) => (
          <>
            <dt class="mono">{header.name}</dt>
            <dd class="mono">{header.value}</dd>
          </>
        ))}
      </dl>
      {body.length > 0 && (
        <Text text={utf8Of(body) ?? t.workers.binary(format.text(format.bytes(body.length)))} />
      )}
    </>
  );
}
