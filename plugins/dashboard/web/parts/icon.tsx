import type { IconNode } from 'lucide';

interface Props {
  /** A node of the package `lucide`, imported by name: only those that are used are shipped. */
  readonly of: IconNode;
  readonly size?: number;
  /** Name where the icon stands alone; next to words it is hidden from screen readers. */
  readonly label?: string;
  readonly class?: string;
}

/** A drawing of 16 px in the colour of the text around it. */
export function Icon({ of, size = 16, label, class: name }: Props) {
  return (
    <svg
      class={`icon ${name ?? ''}`}
      width={size}
      height={size}
      viewBox="0 0 24 24"
      fill="none"
      stroke="currentColor"
      stroke-width="1.9"
      stroke-linecap="round"
      stroke-linejoin="round"
      {...(label === undefined ? { 'aria-hidden': 'true' } : { role: 'img', 'aria-label': label })}
    >
      {of.map(([Tag, attributes], at) => {
        const Element = Tag as 'path';
        return <Element key={at} {...(attributes as object)} />;
      })}
    </svg>
  );
}
