import { useEffect } from 'preact/hooks';
import { copySelection } from './clipboard.ts';
import { FONT_SIZES, fontSize, isSearching, setFontSize } from './settings.ts';
import type { Shell } from './shell.ts';
import type { Screen } from './xterm.ts';

/** Keys that are not for the shell: all with Ctrl and Shift, or ⌘, and Shift Escape, which leaves the terminal. */
export function useShortcuts(shell: Shell, screen: Screen | undefined): void {
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
