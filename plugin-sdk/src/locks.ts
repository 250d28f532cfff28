/** Runs works that share a name one after the other, in order of the calls; works of different names run side by side. */
export function createLocks(): <T>(names: readonly string[], work: () => Promise<T>) => Promise<T> {
  const tails = new Map<string, Promise<unknown>>();
  return (names, work) => {
    const before = names.map((name) => tails.get(name));
    // A failure is thrown to its own caller; the next work starts all the same.
    const turn = Promise.allSettled(before).then(work);
    for (const name of names) tails.set(name, turn);
    const leave = () => {
      for (const name of names) if (tails.get(name) === turn) tails.delete(name);
    };
    turn.then(leave, leave);
    return turn;
  };
}
