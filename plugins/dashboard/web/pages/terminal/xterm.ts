/** The terminal library, in a chunk of its own. */
import '@xterm/xterm/css/xterm.css';
import { FitAddon } from '@xterm/addon-fit';
import { SearchAddon } from '@xterm/addon-search';
import { Terminal } from '@xterm/xterm';
import { styleNonce } from '../../frame/index.ts';

export interface Screen {
  readonly terminal: Terminal;
  readonly fit: FitAddon;
  readonly search: SearchAddon;
  /** Puts it into the page; once. */
  readonly open: (element: HTMLElement) => void;
}

const SCROLLBACK_LINES = 5_000;

export function createScreen(fontSize: number): Screen {
  const terminal = new Terminal({
    fontSize,
    fontFamily: getComputedStyle(document.documentElement).getPropertyValue('--mono'),
    scrollback: SCROLLBACK_LINES,
    cursorBlink: !matchMedia('(prefers-reduced-motion: reduce)').matches,
    // The marks of the search are one of these.
    allowProposedApi: true,
  });
  const [fit, search] = [new FitAddon(), new SearchAddon()];
  terminal.loadAddon(fit);
  terminal.loadAddon(search);
  return { terminal, fit, search, open: (element) => openLawfully(terminal, element) };
}

/**
 * Opens the screen as the page's content policy allows it; the library has no option for that. Its style elements get the nonce, and
 * colours that it would write into `style` attributes, which the policy refuses, are set through the object model.
 */
function openLawfully(terminal: Terminal, element: HTMLElement): void {
  const create = document.createElement;
  document.createElement = ((tag: string) => {
    const made = create.call(document, tag);
    if (tag === 'style') made.nonce = styleNonce;
    return made;
  }) as typeof create;
  try {
    terminal.open(element);
  } finally {
    document.createElement = create;
  }
  const rows = (terminal as unknown as Inside)._core._renderService._renderer.value._rowFactory;
  rows._addStyle = (span, style) => {
    span.style.cssText += style;
  };
}

/** The part of the library that draws rows, as version 6.0.0 names it. The browser test has colours. */
interface Inside {
  readonly _core: {
    readonly _renderService: {
      readonly _renderer: {
        readonly value: {
          readonly _rowFactory: { _addStyle: (span: HTMLElement, style: string) => void };
        };
      };
    };
  };
}
