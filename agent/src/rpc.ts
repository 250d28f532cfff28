/**
 * One request frame; every request of the main loop has the id 1 (clients.md §2.1), late reports have others. `params` is
 * JSON text.
 */
export const request = (method: string, params: string, id = 1): string =>
  `{"id":${id},"jsonrpc":"2.0","method":"${method}","params":${params}}`;

/** Meaning of a text frame from the server for the main loop. */
export type Downlink =
  | { kind: 'task'; notification: Record<string, unknown> }
  | { kind: 'monitors'; item: Record<string, unknown> }
  | { kind: 'error'; id: unknown; code: unknown; message: string }
  | { kind: 'result'; id: unknown }
  | { kind: 'nothing' };

interface OldError {
  error_id?: unknown;
  error_message?: unknown;
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Tells a task, checks of monitors, an error (also in the old style of clients.md §2.6), and everything else, which is ignored. */
export function readDownlink(text: string): Downlink {
  const message = objectIn(text);
  if (!message) return { kind: 'nothing' };
  const { id, method, params, error, result } = message as Record<string, unknown> & {
    id?: unknown;
    method?: unknown;
    params?: unknown;
    error?: unknown;
    result?: unknown;
  };
  if (method === 'task_register_task' && message['jsonrpc'] === '2.0' && isObject(params)) {
    return isObject(params['result'])
      ? { kind: 'task', notification: params['result'] }
      : { kind: 'nothing' };
  }
  if (method === 'monitor_register' && isObject(params) && isObject(params['result'])) {
    return { kind: 'monitors', item: params['result'] };
  }
  if (isObject(error)) {
    return { kind: 'error', id, code: error['code'], message: String(error['message']) };
  }
  if (isObject(result) && Number.isInteger(result['error_id']) && 'error_message' in result) {
    const { error_id: code, error_message } = result as Record<string, unknown> & OldError;
    return { kind: 'error', id, code, message: String(error_message) };
  }
  return 'result' in message ? { kind: 'result', id } : { kind: 'nothing' };
}

/** The object that a text holds; undefined for everything else. */
export function objectIn(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    // Text that is not JSON is ignored, as batches are: it cannot hold a task or an error.
    return undefined;
  }
}
