import { copyText, toast } from '../../parts/index.ts';
import { t } from '../../strings/index.ts';
import { copiesOnSelect } from './settings.ts';
import type { Screen } from './xterm.ts';

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
