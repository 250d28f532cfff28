import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { Button } from '../../parts/index.ts';
import { t } from '../../strings/index.ts';

interface Props<T> {
  readonly list: readonly T[];
  /** Number that is shown at first. */
  readonly first: number;
  readonly children: (shown: readonly T[]) => ComponentChildren;
}

/** The first of a list, and all of them at a press. */
export function Shortened<T>({ list, first, children }: Props<T>) {
  const [isAll, setAll] = useState(false);
  return (
    <div class="stack">
      {children(isAll ? list : list.slice(0, first))}
      {list.length > first && !isAll && (
        <div>
          <Button onClick={() => setAll(true)}>{t.agent.showAll(list.length)}</Button>
        </div>
      )}
    </div>
  );
}
