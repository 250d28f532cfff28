import { createHash } from 'node:crypto';

/** Returns a number below 2^48 that is the same for the same text on every server. */
export const hashOf = (text: string): number =>
  createHash('sha256').update(text).digest().readUIntBE(0, 6);

/** Returns the next planned Unix ms after a time: a steady grid whose beginning is spread by the monitor's id. */
export function nextPlanned(id: number, interval_ms: number, now: number): number {
  const offset = hashOf(`${id}`) % interval_ms;
  return (Math.floor((now - offset) / interval_ms) + 1) * interval_ms + offset;
}

/** Returns the one of these servers that checks a monitor: each server computes the same (rendezvous hashing). */
export const serverOf = (id: number, servers: readonly string[]): string | undefined =>
  chosen(`${id}`, servers, 1)[0];

/** Returns the `count` candidates that a key prefers; when one goes, only what it had moves. */
export function chosen(key: string, candidates: readonly string[], count: number): string[] {
  return candidates
    .map((name) => ({ name, weight: hashOf(`${key} ${name}`) }))
    .toSorted((a, b) => b.weight - a.weight || (a.name < b.name ? -1 : 1))
    .slice(0, count)
    .map(({ name }) => name);
}
