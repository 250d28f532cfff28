import { type IconNode, Plus } from 'lucide';
import { Loaded, type Resource } from '../../frame/index.ts';
import { Button, Empty } from '../../parts/index.ts';
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
  /** Name of the button that makes one. */
  readonly add: string;
  /** Undefined: not for this token. */
  readonly onAdd: (() => void) | undefined;
}

/** The first pane of every kind of store: what there is, and one more. */
export function MenuPane<T>({
  title,
  list,
  pick,
  current,
  empty: { icon, title: none, text },
  add,
  onAdd,
}: MenuPaneProps<T>) {
  return (
    <Pane
      title={title}
      at={1}
      actions={onAdd && <Button kind="quiet" icon={Plus} label={add} onClick={onAdd} />}
    >
      <Loaded of={list} what={t.stores.unread}>
        {(found) => (
          <PickList
            label={title}
            current={current}
            picks={found.map(pick)}
            empty={
              <Empty icon={icon} title={none}>
                {text}
              </Empty>
            }
          />
        )}
      </Loaded>
    </Pane>
  );
}

/** Where nothing is chosen: a sentence that says what appears here. */
export const ChoosePane = ({
  of,
  at,
  icon,
  title,
  text,
}: Nothing & { readonly of: string; readonly at: 2 | 3 }) => (
  <Pane title={of} at={at}>
    <Empty icon={icon} title={title}>
      {text}
    </Empty>
  </Pane>
);
