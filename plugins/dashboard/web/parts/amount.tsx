import type { Figure } from './format.ts';

/** A figure with its unit in lighter weight; `title` has the exact value. */
export function Amount({
  of,
  title,
}: {
  readonly of: Figure | undefined;
  readonly title?: string;
}) {
  if (!of) return <span class="num muted">–</span>;
  return (
    <span class="num" title={title}>
      {of.value}
      <span class="unit">{of.unit === '%' ? '%' : ` ${of.unit}`}</span>
    </span>
  );
}
