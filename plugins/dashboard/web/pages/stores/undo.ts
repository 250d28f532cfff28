import { errorText, toast } from '../../parts/index.ts';
import { t } from '../../strings/index.ts';

/** The way back of a toast; its failure is told in another one. */
export const undo = (run: () => Promise<unknown>) => ({
  action: {
    label: t.stores.undo,
    run: () =>
      void attempt(async () => {
        await run();
        toast(t.stores.undone);
      }),
  },
});

export async function attempt(run: () => Promise<unknown>): Promise<void> {
  try {
    await run();
  } catch (error) {
    toast(errorText(error), { kind: 'bad' });
  }
}
