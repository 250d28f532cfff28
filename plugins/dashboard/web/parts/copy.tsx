import { Check, Copy } from 'lucide';
import { useState } from 'preact/hooks';
import { t } from '../strings/index.ts';
import { Button } from './button.tsx';
import { toast } from './toast.tsx';

const SHOWN_MS = 1_500;

/** Copies; over plain HTTP browsers give no clipboard, there the old way is tried. @returns false: neither worked */
export async function copyText(text: string): Promise<boolean> {
  if (navigator.clipboard) {
    try {
      await navigator.clipboard.writeText(text);
      return true;
    } catch {
      // The page may not: the old way needs no permission.
    }
  }
  const area = document.createElement('textarea');
  area.value = text;
  area.readOnly = true;
  area.className = 'sr';
  (document.querySelector('dialog[open]') ?? document.body).append(area);
  area.select();
  try {
    return document.execCommand('copy');
  } finally {
    area.remove();
  }
}

export function CopyButton({ text, label }: { readonly text: string; readonly label?: string }) {
  const [isDone, setDone] = useState(false);
  const copy = async () => {
    if (!(await copyText(text))) return toast(t.parts.noClipboard, { kind: 'bad' });
    setDone(true);
    setTimeout(() => setDone(false), SHOWN_MS);
  };
  return (
    <Button
      kind="quiet"
      icon={isDone ? Check : Copy}
      label={label ?? t.parts.copy}
      onClick={() => void copy()}
    />
  );
}

/** A command to run elsewhere, with a button that copies it. */
export function Command({ text }: { readonly text: string }) {
  return (
    <div class="command">
      <code class="grow">{text}</code>
      <CopyButton text={text} />
    </div>
  );
}
