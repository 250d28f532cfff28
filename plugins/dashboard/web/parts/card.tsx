import type { ComponentChildren } from 'preact';

interface Props {
  readonly title?: ComponentChildren;
  /** Buttons at the end of the title's line. */
  readonly actions?: ComponentChildren;
  readonly children?: ComponentChildren;
  /** Content up to the border: tables, editors. */
  readonly flush?: boolean;
  readonly class?: string;
}

export function Card({ title, actions, children, flush, class: name }: Props) {
  return (
    <section class={`card ${flush ? 'flush' : ''} ${name ?? ''}`}>
      {(title !== undefined || actions !== undefined) && (
        <header class="card-head">
          <h2 class="ellipsis grow">{title}</h2>
          {actions}
        </header>
      )}
      {children}
    </section>
  );
}
