import { Search, X } from 'lucide';
import { useEffect, useRef, useState } from 'preact/hooks';
import { colours } from '../../frame/index.ts';
import { Button, copyText, Icon, toast } from '../../parts/index.ts';
import { t } from '../../strings/index.ts';
import { copiesOnSelect, FONT_SIZES, fontSize, isSearching, setFontSize } from './settings.ts';
import type { Shell } from './shell.ts';
import { themeOf } from './theme.ts';
import type { Screen } from './xterm.ts';

/** The screen of one shell, fitted into the room that the page has. */
export function ShellView({ shell }: { readonly shell: Shell }) {
  const box = useRef<HTMLDivElement>(null);
  const screen = shell.screen.value;
  useEffect(() => {
    const room = box.current;
    if (!room || !screen) return;
    room.append(shell.element);
    // Letters are measured where they are seen.
    if (!screen.terminal.element) screen.open(shell.element);
    const fit = () => {
      if (room.clientHeight > 0) screen.fit.fit();
    };
    const watcher = new ResizeObserver(() => requestAnimationFrame(fit));
    watcher.observe(room);
    fit();
    shell.takeKeyboard();
    return () => {
      watcher.disconnect();
      shell.element.remove();
    };
  }, [shell, screen]);
  useEffect(() => {
    if (!screen) return;
    screen.terminal.options.fontSize = fontSize.value;
    screen.fit.fit();
  }, [screen, fontSize.value]);
  useEffect(() => {
    if (screen && box.current) screen.terminal.options.theme = themeOf(box.current);
  }, [screen, colours.value]);
  useKeys(shell, screen);
  return (
    <div class="terminal-box" role="group" aria-label={t.terminal.screen}>
      {isSearching.value && screen && <SearchBar screen={screen} />}
      <div
        class="terminal-room"
        ref={box}
        // A drag may end beside the screen.
        onMouseDown={() =>
          screen &&
          addEventListener('mouseup', () => void copySelection(screen, false), { once: true })
        }
      />
    </div>
  );
}

/** Copies what is selected. Without a word where it was asked for by selecting alone and nothing is selected. */
export async function copySelection({ terminal }: Screen, isAsked: boolean): Promise<void> {
  const text = terminal.getSelection();
  if (text === '' || !(isAsked || copiesOnSelect.value)) return;
  const isCopied = await copyText(text);
  terminal.focus();
  if (isCopied && isAsked) toast(t.terminal.copied);
  if (!isCopied) toast(t.parts.noClipboard, { kind: 'bad' });
}

/** The clipboard by a button; the keyboard's own way works everywhere. */
export async function paste({ terminal }: Screen): Promise<void> {
  try {
    // Not there over plain HTTP.
    const text = await navigator.clipboard?.readText();
    if (text === undefined) toast(t.terminal.noPaste, { kind: 'bad' });
    else terminal.paste(text);
  } catch {
    toast(t.terminal.noPaste, { kind: 'bad' });
  }
  terminal.focus();
}

/** Keys that are not for the shell: all with Ctrl and Shift, or ⌘, and Shift Escape, which leaves the terminal. */
function useKeys(shell: Shell, screen: Screen | undefined): void {
  useEffect(() => {
    if (!screen) return;
    const { terminal } = screen;
    const actions: { readonly [key: string]: () => void } = {
      c: () => void copySelection(screen, true),
      f: () => {
        isSearching.value = true;
      },
      '+': () => setFontSize(fontSize.value + 1),
      '=': () => setFontSize(fontSize.value + 1),
      '-': () => setFontSize(fontSize.value - 1),
      _: () => setFontSize(fontSize.value - 1),
      '0': () => setFontSize(FONT_SIZES.usual),
      ')': () => setFontSize(FONT_SIZES.usual),
    };
    terminal.attachCustomKeyEventHandler((event) => {
      if (shell.state.value.kind === 'ended' && event.key === 'Enter') {
        if (event.type === 'keydown') void shell.start();
        return false;
      }
      if (event.key === 'Escape' && event.shiftKey) {
        if (event.type === 'keydown')
          document.querySelector<HTMLElement>('.terminal-head [aria-selected="true"]')?.focus();
        return false;
      }
      const action = actions[event.key.toLowerCase()];
      const isOurs = (event.ctrlKey && event.shiftKey) || event.metaKey;
      if (!action || !isOurs) return true;
      event.preventDefault();
      if (event.type === 'keydown') action();
      return false;
    });
  }, [shell, screen]);
}

const MARKS = {
  matchBackground: '#6b5a14',
  matchOverviewRuler: '#b28a00',
  activeMatchBackground: '#b26b00',
  activeMatchColorOverviewRuler: '#f0b429',
};

function SearchBar({ screen: { search, terminal } }: { readonly screen: Screen }) {
  const [text, setText] = useState('');
  const [found, setFound] = useState<{ readonly at: number; readonly count: number }>();
  useEffect(() => {
    const watch = search.onDidChangeResults(({ resultIndex, resultCount }) =>
      setFound({ at: resultIndex + 1, count: resultCount }),
    );
    return () => {
      watch.dispose();
      search.clearDecorations();
    };
  }, [search]);
  const find = (what: string, isNext: boolean, incremental = false) => {
    const options = { decorations: MARKS, incremental };
    if (isNext) search.findNext(what, options);
    else search.findPrevious(what, options);
  };
  const close = () => {
    isSearching.value = false;
    terminal.focus();
  };
  return (
    <form
      class="terminal-search"
      onSubmit={(event) => {
        event.preventDefault();
        find(text, false);
      }}
    >
      <Icon of={Search} />
      <input
        class="input"
        type="search"
        autofocus
        aria-label={t.terminal.search}
        placeholder={t.terminal.search}
        value={text}
        onInput={({ currentTarget: { value } }) => {
          setText(value);
          find(value, false, true);
        }}
        onKeyDown={(event) => {
          if (event.key === 'Escape') close();
          if (event.key === 'Enter' && event.shiftKey) {
            event.preventDefault();
            find(text, true);
          }
        }}
      />
      <span class="muted small" role="status">
        {text !== '' && found && t.terminal.found(found.at, found.count)}
      </span>
      <Button kind="quiet" icon={X} label={t.terminal.endSearch} onClick={close} />
    </form>
  );
}
