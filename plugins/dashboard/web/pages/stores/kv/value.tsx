import { Trash2 } from 'lucide';
import { Loaded } from '../../../frame/index.ts';
import { attempt, Button, CopyButton, prettyJson } from '../../../parts/index.ts';
import { t } from '../../../strings/index.ts';
import { Pane } from '../panes.tsx';
import { Editor } from './editor.tsx';
import { named, toNamespace, useValue } from './model.ts';

interface Props {
  readonly namespace: string;
  readonly name: string;
  /** Tells whether it is in the list of keys; undefined: the list is being read. */
  readonly isKnown: boolean | undefined;
  readonly drafts: Map<string, string>;
  readonly onChanged: () => void;
}

/** Value of a key, and its editor. */
export function Value({ namespace, name, isKnown, drafts, onChanged }: Props) {
  const { id, stored, read, save, remove, mayWrite, mayRemove } = useValue(
    namespace,
    name,
    onChanged,
  );
  const exists = isKnown === true && stored.data !== undefined;
  return (
    <Pane
      title={named(name)}
      at={3}
      back={toNamespace(namespace)}
      actions={
        exists && (
          <>
            <CopyButton text={prettyJson(stored.data)} />
            {mayRemove && (
              <Button
                kind="quiet"
                icon={Trash2}
                label={t.stores.remove}
                onClick={() => void attempt(remove)}
              />
            )}
          </>
        )
      }
    >
      <Loaded of={stored} what={t.stores.unread}>
        {(value) => (
          <Editor
            stored={isKnown === false && value === null ? undefined : value}
            name={name}
            id={id}
            drafts={drafts}
            isReadOnly={!mayWrite}
            readNow={read}
            onSave={save}
          />
        )}
      </Loaded>
    </Pane>
  );
}
