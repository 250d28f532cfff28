import { ClipboardPaste } from 'lucide';
import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { errorText, Icon, Search, sentenceOf } from '../../../parts/index.ts';
import { t } from '../../../strings/index.ts';
import type { Kind } from '../model.ts';
import { isNoUrl, usePaste } from './draft.ts';

interface PasteProps {
  readonly kinds: readonly Kind[];
  readonly kind: Kind | undefined;
  readonly onPaste: (url: string) => Promise<unknown>;
}

/** Field that fills the form from an address of another program. */
export function PasteField({ kinds, kind, onPaste }: PasteProps) {
  const { url, setUrl, error } = usePaste(onPaste);
  const input = useRef<HTMLInputElement>(null);
  // Browsers heed the attribute in dialogs and at the load of a page alone.
  useEffect(() => input.current?.focus({ preventScroll: true }), []);
  const fault = isNoUrl(url)
    ? t.alerts.noUrl
    : error === undefined
      ? undefined
      : sentenceOf(errorText(error));
  const example = kind?.example_url ?? kinds.find(({ kind: id }) => id === 'ntfy')?.example_url;
  return (
    <label class="field alerts-paste">
      <span>
        <Icon of={ClipboardPaste} size={14} /> {t.alerts.paste}
      </span>
      <input
        class="input mono"
        autocomplete="off"
        spellcheck={false}
        placeholder={example ?? 'ntfy://ntfy.sh/topic'}
        value={url}
        ref={input}
        onInput={({ currentTarget }) => setUrl(currentTarget.value)}
      />
      <span class={fault === undefined ? 'hint' : 'hint bad'}>{fault ?? t.alerts.pasteHint}</span>
    </label>
  );
}

interface TilesProps {
  readonly kinds: readonly Kind[];
  readonly onChoose: (kind: Kind) => void;
  /** Shorter ways than choosing a kind. */
  readonly children?: ComponentChildren;
}

/** Kinds of channels to choose from. */
export function KindTiles({ kinds, onChoose, children }: TilesProps) {
  const [text, setText] = useState('');
  const wanted = text.trim().toLowerCase();
  const shown = kinds.filter(({ kind, title, summary }) =>
    [kind, title, summary].some((one) => one.toLowerCase().includes(wanted)),
  );
  return (
    <div class="stack">
      <div class="row wrap">
        <Search label={t.alerts.findKind} value={text} onText={setText} class="alerts-find" />
        {children}
      </div>
      <div class="alerts-kinds">
        {shown.map((kind) => (
          <button
            type="button"
            class="card alerts-tile"
            key={kind.kind}
            onClick={() => onChoose(kind)}
          >
            <strong>{kind.title}</strong>
            <span class="muted small">{kind.summary}</span>
          </button>
        ))}
      </div>
      {shown.length === 0 && <p class="muted">{t.alerts.noKind}</p>}
    </div>
  );
}
