import { createHash } from 'node:crypto';
import type { Inventory } from './reports.ts';

/** JSON without white space, object keys sorted by their bytes at every level (monitoring-data.md §6.1). */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  if (value === null || typeof value !== 'object') return JSON.stringify(value);
  const members = Object.entries(value)
    .sort(([a], [b]) => Buffer.compare(Buffer.from(a), Buffer.from(b)))
    .map(([key, member]) => `${JSON.stringify(key)}:${canonicalJson(member)}`);
  return `{${members.join(',')}}`;
}

/** First 16 bytes of the SHA-256 of cpu, system and gpu, as numbers (monitoring-data.md §6.1). */
export function staticHash({ cpu, system, gpu }: Inventory): number[] {
  const text = [cpu, system, gpu].map(canonicalJson).join('\n');
  return [...createHash('sha256').update(text).digest().subarray(0, 16)];
}
