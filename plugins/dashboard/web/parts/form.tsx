import type { ComponentChildren } from 'preact';

interface Props {
  readonly onSubmit: () => unknown;
  readonly children: ComponentChildren;
  readonly class?: string;
}

/** Form that the page sends itself: Enter in a field is a press on its button. */
export const Form = ({ onSubmit, children, class: name = 'stack' }: Props) => (
  <form
    class={name}
    onSubmit={(event) => {
      event.preventDefault();
      void onSubmit();
    }}
  >
    {children}
  </form>
);
