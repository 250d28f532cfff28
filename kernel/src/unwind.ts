/** Steps that undo what was done, at a stop or after a failed start, the newest first. */
export class Unwind {
  readonly #undos: (() => Promise<void> | void)[] = [];

  push(undo: () => Promise<void> | undefined | void): void {
    this.#undos.push(undo as () => void);
  }

  /** Each undo runs once, also when this is called again. */
  async run(): Promise<void> {
    for (let undo = this.#undos.pop(); undo; undo = this.#undos.pop()) await undo();
  }
}
