import type { IconNode } from 'lucide';
import type { ComponentChildren } from 'preact';
import { Icon } from './icon.tsx';

interface Props {
  readonly icon?: IconNode;
  readonly title: string;
  /** Teaches the next step. */
  readonly children?: ComponentChildren;
}

/** A list without rows. */
export function Empty({ icon, title, children }: Props) {
  return (
    <div class="empty">
      {icon && <Icon of={icon} size={28} />}
      <h2>{title}</h2>
      {children && <div class="empty-body">{children}</div>}
    </div>
  );
}
