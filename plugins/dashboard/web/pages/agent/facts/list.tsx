import type { ComponentChild } from 'preact';

export type FactRow = readonly [label: string, value: ComponentChild];

/** Names and values; what has no value is left out. */
export function FactList({ rows }: { readonly rows: readonly FactRow[] }) {
  return (
    <dl class="agent-facts">
      {rows.map(
        ([label, value]) =>
          value && (
            <div key={label}>
              <dt class="muted">{label}</dt>
              <dd>{value}</dd>
            </div>
          ),
      )}
    </dl>
  );
}
