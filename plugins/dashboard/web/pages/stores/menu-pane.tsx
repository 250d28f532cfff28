import type { IconNode } from 'lucide';
import type { ComponentChildren } from 'preact';
import { Loaded, type Resource } from '../../frame/index.ts';
import { Empty } from '../../parts/index.ts';
import { t } from '../../strings/index.ts';
import { Pane, type Pick, PickList } from './panes.tsx';

/** An empty list, or nothing chosen from a full one. */
interface Nothing {
  readonly icon: IconNode;
  readonly title: string;
  readonly text: string;
}

interface MenuPaneProps<T> {
  readonly title: string;
  readonly list: Resource<T[]>;
  readonly pick: (one: T) => Pick;
  readonly current: string | null;
  readonly empty: Nothing;
  /** Button that makes one. */
  readonly add: ComponentChildren;
}

/** The first pane of every kind of store: what there is, and one more. */
export function MenuPane<T>({ title, list, pick, current, empty, add }: MenuPaneProps<T>) {
  return (
    <Pane title={title} at={1} actions={add}>
      <Loaded of={list} what={t.stores.unread}>
        {(found) => (
          <PickList
            label={title}
            current={current}
            picks={found.map(pick)}
            empty={
              <Empty icon={empty.icon} title={empty.title}>
                {empty.text}
              </Empty>
            }
          />
        )}
      </Loaded>
    </Pane>
  );
}

interface ChooseProps extends Nothing {
  readonly of: string;
  readonly at: 2 | 3;
}

/** Pane in which nothing is chosen yet: a sentence says what appears here. */
export const ChoosePane = ({ of, at, icon, title, text }: ChooseProps) => (
  <Pane title={of} at={at}>
    <Empty icon={icon} title={title}>
      {text}
    </Empty>
  </Pane>
);
