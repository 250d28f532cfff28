import { parse } from 'smol-toml';

/** A line that may set the key. Only the parser can tell whether it does: the line may be part of a table or of a string. */
const setting = /^([ \t]*(["']?)server_uuid\2[ \t]*=[ \t]*(["']))auto_gen(?=\3)/gim;

/**
 * A configuration text whose top-level `server_uuid` is `auto_gen` (any letter case) gets this UUID instead;
 * nothing else of it changes. A text that is not TOML comes back unchanged.
 */
export function pinUuid(text: string, uuid: string): string {
  if (uuidOf(text)?.toLowerCase() !== 'auto_gen') return text;
  for (const { 0: whole, 1: head = '', index } of text.matchAll(setting)) {
    const pinned = text.slice(0, index) + head + uuid + text.slice(index + whole.length);
    if (uuidOf(pinned) === uuid) return pinned;
  }
  return text;
}

function uuidOf(text: string): string | undefined {
  try {
    const value = parse(text)['server_uuid'];
    return typeof value === 'string' ? value : undefined;
  } catch {
    // The kernel's own check names the line and the mistake.
    return undefined;
  }
}
