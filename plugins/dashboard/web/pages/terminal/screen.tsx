import { useEffect, useRef } from 'preact/hooks';
import { colours } from '../../frame/index.ts';
import { t } from '../../strings/index.ts';
import { copySelection } from './clipboard.ts';
import { SearchBar } from './search-bar.tsx';
import { fontSize, isSearching } from './settings.ts';
import type { Shell } from './shell.ts';
import { useShortcuts } from './shortcuts.ts';
import { themeOf } from './theme.ts';

/** The screen of one shell, fitted into the room that the page has. */
export function ShellScreen({ shell }: { readonly shell: Shell }) {
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
    shell.focus();
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
  useShortcuts(shell, screen);
  return (
    <div class="terminal-box" role="group" aria-label={t.terminal.screen}>
      {isSearching.value && screen && <SearchBar screen={screen} />}
      <div
        class="terminal-room"
        ref={box}
        // A drag may end outside of the screen.
        onMouseDown={() =>
          screen &&
          addEventListener('mouseup', () => void copySelection(screen, false), { once: true })
        }
      />
    </div>
  );
}
