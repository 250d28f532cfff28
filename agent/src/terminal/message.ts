/** Meaning of a text frame from the user's side (terminal.md §6.1). */
export type TerminalMessage =
  | { kind: 'resize'; cols: number; rows: number }
  | { kind: 'heartbeat' }
  | { kind: 'refusal'; reason: string }
  | { kind: 'input' };

const LARGEST = 65_535;

/** Tells resizes, heartbeats and refusals by their members. Every other text is typed input. */
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
    // The text begins with a brace, so it is an object when it is JSON.
    return JSON.parse(text) as Record<string, unknown>;
  } catch {
    // Not JSON: the user typed or pasted a brace.
    return undefined;
  }
}
