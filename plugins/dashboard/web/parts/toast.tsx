import { signal } from '@preact/signals';
import { X } from 'lucide';
import { t } from '../strings/index.ts';
import { Button } from './button.tsx';
import { errorText } from './error-note.tsx';

interface Toast {
  readonly id: number;
  readonly text: string;
  readonly kind: 'done' | 'bad';
  /** Button, for instance "Undo". */
  readonly action?: { readonly label: string; readonly run: () => void } | undefined;
}
const toasts = signal<readonly Toast[]>([]);
const STAYS_MS = 6_000;
let last = 0;

/** Says in a corner that something is done. What can be undone carries the way back; bad news stays until it is closed. */
export function toast(text: string, options: Partial<Pick<Toast, 'kind' | 'action'>> = {}): void {
  const made: Toast = { id: ++last, text, kind: options.kind ?? 'done', action: options.action };
  toasts.value = [...toasts.value.slice(-3), made];
  if (made.kind === 'done') setTimeout(() => drop(made.id), STAYS_MS);
}

const drop = (id: number) => {
  toasts.value = toasts.value.filter((one) => one.id !== id);
};

/** Runs it; its failure is a toast. */
export async function attempt(run: () => Promise<unknown>): Promise<void> {
  try {
    await run();
  } catch (error) {
    toast(errorText(error), { kind: 'bad' });
  }
}

/** The way back that a toast offers. */
export const undo = (
  words: { readonly undo: string; readonly undone: string },
  run: () => Promise<unknown>,
) => ({
  action: {
    label: words.undo,
    run: () =>
      void attempt(async () => {
        await run();
        toast(words.undone);
      }),
  },
});

/** Place of the toasts; the frame shows it once. */
export function Toasts() {
  return (
    <div class="toasts" role="status" aria-live="polite">
      {toasts.value.map(({ id, text, kind, action }) => (
        <div key={id} class={`toast ${kind}`}>
          <span class="grow">{text}</span>
          {action && (
            <Button
              kind="quiet"
              onClick={() => {
                drop(id);
                action.run();
              }}
            >
              {action.label}
            </Button>
          )}
          <Button kind="quiet" icon={X} label={t.parts.close} onClick={() => drop(id)} />
        </div>
      ))}
    </div>
  );
}
