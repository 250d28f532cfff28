import { AlignLeft, Trash2, Undo2 } from 'lucide';
import { useEffect, useId, useState } from 'preact/hooks';
import { Loaded, to, usePoll, useServer } from '../../../frame/index.ts';
import {
  Button,
  CopyButton,
  Diff,
  FormDialog,
  format,
  prettyJson,
  readJson,
  toast,
} from '../../../parts/index.ts';
import { t } from '../../../strings/index.ts';
import { Pane, shown } from '../panes.tsx';
import { attempt, undo } from '../undo.ts';
import { named } from './namespaces.tsx';

interface Props {
  readonly namespace: string;
  readonly name: string;
  /** Is it in the list of keys? Undefined: not known yet. */
  readonly isKnown: boolean | undefined;
  readonly drafts: Map<string, string>;
  readonly onChanged: () => void;
}

/** A value and what becomes of it: JSON is checked while it is typed, and nothing is saved before the change was shown. */
export function Value({ namespace, name, isKnown, drafts, onChanged }: Props) {
  const { call, may } = useServer();
  const stored = usePoll(`value ${JSON.stringify([namespace, name])}`, () =>
    call('kv_get_value', { namespace, key: name }),
  );
  const mayWrite = shown(may('kv_set_value', { namespace, key: name, value: null }));
  const mayRemove = isKnown && shown(may('kv_delete_key', { namespace, key: name }));
  const put = async (value: unknown) => {
    await call('kv_set_value', { namespace, key: name, value });
    stored.set(value);
    onChanged();
  };
  const drop = async () => {
    await call('kv_delete_key', { namespace, key: name });
    stored.set(null);
    onChanged();
  };
  const remove = async () => {
    const before = stored.data;
    await drop();
    toast(
      t.stores.removedKey(named(name)),
      undo(() => put(before)),
    );
  };
  return (
    <Pane
      title={named(name)}
      at={3}
      back={to('stores', 'kv', { in: namespace })}
      actions={
        <>
          {stored.data !== undefined && isKnown && <CopyButton text={prettyJson(stored.data)} />}
          {mayRemove && stored.data !== undefined && (
            <Button
              kind="quiet"
              icon={Trash2}
              label={t.stores.remove}
              onClick={() => void attempt(remove)}
            />
          )}
        </>
      }
    >
      <Loaded of={stored} what={t.stores.unread}>
        {(value) => (
          <Editor
            stored={isKnown === false && value === null ? undefined : value}
            name={name}
            draftKey={JSON.stringify([namespace, name])}
            drafts={drafts}
            isReadOnly={!mayWrite}
            readNow={() => call('kv_get_value', { namespace, key: name })}
            onSave={async (next, before) => {
              await put(next);
              toast(
                t.stores.saved(named(name)),
                undo(() => (before === undefined ? drop() : put(before))),
              );
            }}
          />
        )}
      </Loaded>
    </Pane>
  );
}

interface EditorProps {
  /** Undefined: there is no such key. */
  readonly stored: unknown;
  readonly name: string;
  readonly draftKey: string;
  readonly drafts: Map<string, string>;
  readonly isReadOnly: boolean;
  readonly readNow: () => Promise<unknown>;
  readonly onSave: (value: unknown, before: unknown) => Promise<void>;
}

function Editor(props: EditorProps) {
  const { stored, name, draftKey, drafts, isReadOnly, readNow, onSave } = props;
  const [draft, keep] = useDraft(drafts, draftKey);
  const [review, setReview] = useState<{ readonly before: unknown; readonly isStale: boolean }>();
  const note = useId();
  const original = stored === undefined ? '' : prettyJson(stored);
  const text = draft ?? original;
  const read = text.trim() === '' ? undefined : readJson(text);
  const isValid = read !== undefined && 'value' in read;
  const isChanged = isValid && prettyJson(read.value) !== original;
  const ask = async () => {
    const now = await readNow();
    const before = stored === undefined && now === null ? undefined : now;
    const isStale = before !== undefined && prettyJson(before) !== original;
    setReview({ before, isStale });
  };
  return (
    <div
      class="stores-editor"
      onKeyDown={(event) => {
        if (event.key.toLowerCase() !== 's' || !(event.ctrlKey || event.metaKey)) return;
        event.preventDefault();
        if (isChanged && !isReadOnly) void attempt(ask);
      }}
    >
      {stored === undefined && <p class="note">{t.stores.isNew}</p>}
      <textarea
        class="input mono"
        aria-label={`${t.stores.value}: ${named(name)}`}
        aria-describedby={note}
        aria-invalid={read !== undefined && !isValid}
        spellcheck={false}
        readOnly={isReadOnly}
        rows={Math.min(28, Math.max(10, text.split('\n').length + 1))}
        value={text}
        onInput={(event) => keep(event.currentTarget.value)}
      />
      <footer class="row wrap">
        <span
          id={note}
          class={`small grow ${read && !isValid ? 'hint bad' : 'muted'}`}
          role="status"
        >
          {draft !== undefined && draft !== original && <b>{t.stores.unsaved} · </b>}
          {read && wordsOf(read, text)}
        </span>
        {draft !== undefined && draft !== original && (
          <Button kind="quiet" icon={Undo2} onClick={() => keep(undefined)}>
            {t.stores.discard}
          </Button>
        )}
        {!isReadOnly && (
          <>
            <Button
              kind="quiet"
              icon={AlignLeft}
              disabled={!isValid || prettyJson(read.value) === text}
              onClick={() => isValid && keep(prettyJson(read.value))}
            >
              {t.stores.format}
            </Button>
            <Button kind="primary" disabled={!isChanged} onClick={() => void attempt(ask)}>
              {t.stores.review}
            </Button>
          </>
        )}
      </footer>
      {review && isValid && (
        <FormDialog
          title={t.stores.reviewTitle(named(name))}
          action={t.stores.save}
          wide
          onClose={() => setReview(undefined)}
          onSubmit={async () => {
            await onSave(read.value, review.before);
            keep(undefined);
          }}
        >
          {review.isStale && <p class="note warn">{t.stores.conflict}</p>}
          <Diff
            before={review.before === undefined ? '' : prettyJson(review.before)}
            after={prettyJson(read.value)}
          />
        </FormDialog>
      )}
    </div>
  );
}

/** What is typed stays while the reader looks elsewhere on this page, and the browser asks before it closes. */
function useDraft(drafts: Map<string, string>, key: string) {
  const [draft, setDraft] = useState(drafts.get(key));
  useEffect(() => {
    const warn = (event: BeforeUnloadEvent) => drafts.size > 0 && event.preventDefault();
    addEventListener('beforeunload', warn);
    return () => removeEventListener('beforeunload', warn);
  }, []);
  const keep = (text: string | undefined) => {
    if (text === undefined) drafts.delete(key);
    else drafts.set(key, text);
    setDraft(text);
  };
  return [draft, keep] as const;
}

function wordsOf(read: ReturnType<typeof readJson>, text: string): string {
  if (!('value' in read)) return read.error;
  const { value } = read;
  const kind =
    value === null
      ? 'null'
      : Array.isArray(value)
        ? 'array'
        : typeof value === 'bigint'
          ? 'number'
          : (typeof value as 'object' | 'string' | 'number' | 'boolean');
  const size = new TextEncoder().encode(text).length;
  return t.stores.valid(t.stores.types[kind], format.text(format.bytes(size)));
}
