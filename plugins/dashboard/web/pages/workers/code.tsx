import { useEffect, useRef, useState } from 'preact/hooks';
import { styleNonce } from '../../frame/index.ts';
import { ErrorNote, Skeleton } from '../../parts/index.ts';
import { t } from '../../strings/index.ts';
import type { CodeEditor } from './editor.ts';

interface Props {
  readonly name: string;
  /** Text that it begins with, and gets when `round` changes: a slow drawing never undoes what is typed meanwhile. */
  readonly text: string;
  readonly round: number;
  readonly isReadOnly: boolean;
  readonly onText: (text: string) => void;
  readonly onSave: () => void;
  readonly onRun: () => void;
  /** Gets a way to a line of the script. */
  readonly goTo: { current: (line: number) => void };
}

/** The script in CodeMirror, which comes when it is needed. */
export function Code(props: Props) {
  const { name, round, isReadOnly, goTo } = props;
  const box = useRef<HTMLDivElement>(null);
  const editor = useRef<CodeEditor | undefined>(undefined);
  const [isReady, setReady] = useState(false);
  const [error, setError] = useState<unknown>();
  const [attempt, setAttempt] = useState(0);
  const latest = useRef(props);
  latest.current = props;
  useEffect(() => {
    let isOver = false;
    setError(undefined);
    import('./editor.ts').then(
      ({ createEditor }) => {
        if (isOver || !box.current) return;
        const made = createEditor({
          parent: box.current,
          text: latest.current.text,
          label: t.workers.editor(name),
          isReadOnly,
          nonce: styleNonce,
          onChange: (next) => latest.current.onText(next),
          onSave: () => latest.current.onSave(),
          onRun: () => latest.current.onRun(),
        });
        editor.current = made;
        goTo.current = made.goTo;
        setReady(true);
      },
      (failure: unknown) => !isOver && setError(failure),
    );
    return () => {
      isOver = true;
      editor.current?.destroy();
      editor.current = undefined;
    };
  }, [attempt, isReadOnly]);
  useEffect(() => {
    if (round > 0) editor.current?.set(latest.current.text);
  }, [round]);
  return (
    <div class="workers-code">
      {error !== undefined && <ErrorNote error={error} onRetry={() => setAttempt(attempt + 1)} />}
      {!isReady && error === undefined && <Skeleton rows={8} />}
      <div ref={box} class="workers-code-box" />
    </div>
  );
}
