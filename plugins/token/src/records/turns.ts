/** Queue that runs tasks one after the other, in the order of the calls. */
export class Turns {
  #tail: Promise<unknown> = Promise.resolve();

  run<T>(work: () => Promise<T>): Promise<T> {
    const turn = this.#tail.then(work, work);
    this.#tail = turn;
    return turn;
  }
}
