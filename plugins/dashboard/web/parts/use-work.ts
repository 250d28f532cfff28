import { useState } from 'preact/hooks';

/** State of what a button does: busy while it lasts, its failure stays until the next attempt, and `onDone` follows a success. */
export function useWork<A extends readonly unknown[]>(
  work: (...given: A) => Promise<unknown>,
  onDone: () => void = () => {},
) {
  const [error, setError] = useState<unknown>();
  const [isBusy, setBusy] = useState(false);
  const run = async (...given: A) => {
    setBusy(true);
    setError(undefined);
    try {
      await work(...given);
      onDone();
    } catch (failure) {
      setError(failure);
    } finally {
      setBusy(false);
    }
  };
  return { run, error, isBusy };
}
