/** What a text frame from the user's side means (terminal.md §6.1). */
export type TerminalMessage =
  | { kind: 'resize'; cols: number; rows: number }
  | { kind: 'heartbeat' }
  | { kind: 'refusal'; reason: string }
  | { kind: 'input' };

const LARGEST = 65_535;

/** Every text that is not an object with the members of a resize, a heartbeat or a refusal is typed in. */
export function readTerminalMessage(text: string): TerminalMessage {
  const message = parseObject(text);
  if (!message) return { kind: 'input' };
  const { cols, rows } = message as { cols?: unknown; rows?: unknown };
  if (isUnsigned(cols) && isUnsigned(rows)) {
    return { kind: 'resize', cols: Math.min(cols, LARGEST), rows: Math.min(rows, LARGEST) };
  }
  if ('type' in message && 'timestamp' in message) return { kind: 'heartbeat' };
  if (Number.isInteger(message['error_id']) && typeof message['error_message'] === 'string') {
    return { kind: 'refusal', reason: message['error_message'] };
  }
  return { kind: 'input' };
}

const isUnsigned = (value: unknown): value is number =>
  Number.isInteger(value) && Number(value) >= 0;

function parseObject(text: string): Record<string, unknown> | undefined {
  if (!/^[ \t\r\n]*\{/.test(text)) return undefined;
  try {
    // An object or a failure: the text begins with a brace.
    return JSON.parse(text) as Record<string, unknown>;
  } catch {
    // Not JSON after all: somebody typed or pasted a brace.
    return undefined;
  }
}
