import { Button } from '../../parts/index.ts';
import { t } from '../../strings/index.ts';
import { lineOf } from './draft.ts';

interface FailureProps {
  readonly text: string;
  readonly name: string;
  readonly onLine: (line: number) => void;
}

/** An error with the way to the line that it names. */
export function Failure({ text, name, onLine }: FailureProps) {
  const line = lineOf(text, name);
  return (
    <div class="note bad workers-failure" role="alert">
      <pre class="grow">{text}</pre>
      {line !== undefined && <Button onClick={() => onLine(line)}>{t.workers.atLine(line)}</Button>}
    </div>
  );
}
