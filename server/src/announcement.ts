/** Lines that the person who starts a server must not miss: they wait until the start is over, and are in no log. */
export class Announcement {
  /** One plain line on the console, in order with the log's lines. */
  print: (line: string) => void = () => {};
  #waiting: string[] = [];

  get isEmpty(): boolean {
    return this.#waiting.length === 0;
  }

  readonly add = (line: string): void => void this.#waiting.push(line);

  /** Prints what waits, once. `frame` puts more around it. */
  flush(frame = (lines: readonly string[]): readonly string[] => lines): void {
    // They are there until they are printed: what the frame needs may fail.
    const lines = this.isEmpty ? [] : frame(this.#waiting);
    this.#waiting = [];
    for (const line of lines) this.print(line);
  }
}
