import { useState } from 'preact/hooks';
import { t } from '../../strings/index.ts';
import type { Shell } from './shell.ts';

const KEYS = [
  ['Esc', '\x1b'],
  ['Tab', '\t'],
  ['↑', '\x1b[A'],
  ['↓', '\x1b[B'],
  ['←', '\x1b[D'],
  ['→', '\x1b[C'],
  ['|', '|'],
  ['/', '/'],
  ['~', '~'],
] as const;
/** Letters that are sent with Ctrl. */
const LETTERS = ['C', 'D', 'Z', 'L', 'R', 'A', 'E', 'U', 'W'] as const;

/** Keys that a phone's keyboard lacks. */
export function Keys({ shell }: { readonly shell: Shell }) {
  const [isControl, setControl] = useState(false);
  const press = (text: string) => {
    shell.type(text);
    setControl(false);
    shell.screen.value?.terminal.focus();
  };
  return (
    <div class="terminal-keys" role="toolbar" aria-label={t.terminal.keys}>
      <button
        type="button"
        class="button"
        aria-pressed={isControl}
        onClick={() => setControl(!isControl)}
      >
        Ctrl
      </button>
      {isControl
        ? LETTERS.map((letter) => (
            <button
              type="button"
              class="button"
              key={letter}
              aria-label={`Ctrl ${letter}`}
              onClick={() => press(String.fromCharCode(letter.charCodeAt(0) - 64))}
            >
              ^{letter}
            </button>
          ))
        : KEYS.map(([label, text]) => (
            <button type="button" class="button" key={label} onClick={() => press(text)}>
              {label}
            </button>
          ))}
    </div>
  );
}
