import { Search, X } from 'lucide';
import { useEffect, useState } from 'preact/hooks';
import { Button, Form, Icon } from '../../parts/index.ts';
import { t } from '../../strings/index.ts';
import { isSearching } from './settings.ts';
import type { Screen } from './xterm.ts';

const MARKS = {
  matchBackground: '#6b5a14',
  matchOverviewRuler: '#b28a00',
  activeMatchBackground: '#b26b00',
  activeMatchColorOverviewRuler: '#f0b429',
};

/** Searches what the screen shows and has shown. */
export function SearchBar({ screen: { search, terminal } }: { readonly screen: Screen }) {
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
    <Form class="terminal-search" onSubmit={() => find(text, false)}>
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
    </Form>
  );
}
