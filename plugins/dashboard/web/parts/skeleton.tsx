/** Grey lines in the place of what is loading; they appear after a moment, so that quick answers do not flicker. */
export function Skeleton({
  rows = 3,
  height = 16,
}: {
  readonly rows?: number;
  readonly height?: number;
}) {
  return (
    <div class="skeleton" aria-hidden="true">
      {Array.from({ length: rows }, (_, at) => (
        <div key={at} style={{ height: `${height}px`, width: `${100 - ((at * 17) % 40)}%` }} />
      ))}
    </div>
  );
}
