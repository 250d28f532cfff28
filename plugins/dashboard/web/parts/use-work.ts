import { useState } from 'preact/hooks';

/** What a button of a dialog does: busy while it lasts, its failure is kept, and `onDone` follows a success. */
export function useWork(work: () => Promise<unknown>, onDone: () => void) {
  const [error, setError] = useState<unknown>();
  const [isBusy, setBusy] = useState(false);
  const run = async () => {
    setBusy(true);
    try {
      await work();
      onDone();
    } catch (failure) {
      setError(failure);
    } finally {
      setBusy(false);
    }
  };
  return { run, error, isBusy };
}
