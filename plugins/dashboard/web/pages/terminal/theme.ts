import type { ITheme } from '@xterm/xterm';

const COLOURS = ['black', 'red', 'green', 'yellow', 'blue', 'magenta', 'cyan', 'white'] as const;

/** Colours by the names of `terminal.css`. */
export function themeOf(element: Element): ITheme {
  const styles = getComputedStyle(element);
  const colour = (name: string) => styles.getPropertyValue(name).trim();
  const theme: Record<string, string> = {
    background: colour('--terminal-back'),
    foreground: colour('--text'),
    cursor: colour('--accent'),
    cursorAccent: colour('--terminal-back'),
    selectionBackground: colour('--terminal-selection'),
  };
  for (const [at, name] of COLOURS.entries()) {
    theme[name] = colour(`--ansi-${at}`);
    theme[`bright${name[0]?.toUpperCase()}${name.slice(1)}`] = colour(`--ansi-${at + 8}`);
  }
  return theme;
}
