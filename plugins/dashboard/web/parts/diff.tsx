import { t } from '../strings/index.ts';

export interface DiffLine {
  readonly kind: 'same' | 'added' | 'removed';
  readonly text: string;
}

/** Most cells (lines × lines that differ); above, the middle is shown as replaced. */
const MOST_CELLS = 1_000_000;
/** Unchanged lines around a change that are shown. */
const AROUND = 3;

/** Returns the changes that turn one text into the other, line by line. */
export function diffLines(before: string, after: string): readonly DiffLine[] {
  const old = before === '' ? [] : before.split('\n');
  const now = after === '' ? [] : after.split('\n');
  let head = 0;
  while (head < old.length && head < now.length && old[head] === now[head]) head++;
  let tail = 0;
  while (
    tail < old.length - head &&
    tail < now.length - head &&
    old.at(-1 - tail) === now.at(-1 - tail)
  )
    tail++;
  const same = (lines: readonly string[]) =>
    lines.map((text): DiffLine => ({ kind: 'same', text }));
  return [
    ...same(old.slice(0, head)),
    ...middle(old.slice(head, old.length - tail), now.slice(head, now.length - tail)),
    ...same(old.slice(old.length - tail)),
  ];
}

/** The longest common subsequence, by the table of its lengths. */
function middle(old: readonly string[], now: readonly string[]): DiffLine[] {
  const width = now.length + 1;
  if (old.length * now.length > MOST_CELLS)
    return [
      ...old.map((text): DiffLine => ({ kind: 'removed', text })),
      ...now.map((text): DiffLine => ({ kind: 'added', text })),
    ];
  const lengths = new Uint32Array((old.length + 1) * width);
  const at = (i: number, j: number) => lengths[i * width + j] ?? 0;
  for (let i = old.length - 1; i >= 0; i--)
    for (let j = now.length - 1; j >= 0; j--)
      lengths[i * width + j] =
        old[i] === now[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
  const lines: DiffLine[] = [];
  let [i, j] = [0, 0];
  while (i < old.length || j < now.length) {
    if (i < old.length && j < now.length && old[i] === now[j]) {
      lines.push({ kind: 'same', text: old[i++] ?? '' });
      j++;
    } else if (i < old.length && (j === now.length || at(i + 1, j) >= at(i, j + 1)))
      lines.push({ kind: 'removed', text: old[i++] ?? '' });
    else lines.push({ kind: 'added', text: now[j++] ?? '' });
  }
  return lines;
}

const signs = { same: ' ', added: '+', removed: '−' };

/** View of a change, with three lines around each place; long stretches without a change are left out. */
export function Diff({ before, after }: { readonly before: string; readonly after: string }) {
  const lines = diffLines(before, after);
  const near = new Set<number>();
  for (const [at, { kind }] of lines.entries())
    if (kind !== 'same') for (let by = -AROUND; by <= AROUND; by++) near.add(at + by);
  return (
    <div class="diff" role="region" aria-label={t.parts.changes} tabIndex={0}>
      {lines.map(({ kind, text }, at) =>
        near.has(at) ? (
          <div key={at} class={kind}>
            <span aria-hidden="true">{signs[kind]}</span>
            {kind !== 'same' && <span class="sr">{t.parts[kind]}</span>}
            <code>{text}</code>
          </div>
        ) : (
          near.has(at - 1) && (
            <div key={at} class="cut">
              …
            </div>
          )
        ),
      )}
    </div>
  );
}
