const BYTES = 16;

/** The hash of each agent's latest static report, by the agent's id (monitoring-data.md §6.2). */
export interface Hashes {
  /**
   * The exact hash of the row that this report repeats: cut or zero-padded to 16 bytes, both hashes are the same.
   * undefined: the latest report was another one, or is unknown.
   */
  repeated(id: number, hash: Buffer): Buffer | undefined;
  /** Records that a row with this hash is durable, and belongs to the latest report. */
  set(id: number, hash: Buffer): void;
  /** Forgets one agent, or all. */
  forget(id?: number): void;
}

export function createHashes(): Hashes {
  const latest = new Map<number, Buffer>();
  return {
    repeated(id, hash) {
      const stored = latest.get(id);
      return stored && fitted(stored).equals(fitted(hash)) ? stored : undefined;
    },
    set: (id, hash) => void latest.set(id, hash),
    forget: (id) => (id === undefined ? latest.clear() : void latest.delete(id)),
  };
}

function fitted(hash: Buffer): Buffer {
  const bytes = Buffer.alloc(BYTES);
  hash.copy(bytes);
  return bytes;
}
