import { FileProcess } from './file.ts';

/** Files that plugins have open; `close` ends all of them. */
export class OpenFiles {
  readonly #open = new Set<FileProcess>();

  open(file: string, limits: { readonly memory_bytes?: number } = {}): FileProcess {
    const opened = new FileProcess(file, limits);
    this.#open.add(opened);
    opened.onEnd(() => this.#open.delete(opened));
    return opened;
  }

  async close(): Promise<void> {
    await Promise.all([...this.#open].map((file) => file.close()));
  }
}
