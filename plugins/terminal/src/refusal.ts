import type { Peer } from '@svc/plugin-sdk/http';

/** Reason why a side may not join (terminal.md §4). */
export interface Refusal {
  readonly error_id: 101 | 102 | 103 | 108;
  readonly error_message: string;
  /** HTTP status of a refusal before the upgrade. */
  readonly status: number;
  /** Close code of a refusal after the upgrade. */
  readonly close: number;
}

const POLICY = 1008;
const AGAIN = 1013;
const NORMAL = 1000;

const refusal =
  (error_id: Refusal['error_id'], status: number, close: number, prefix: string) =>
  (detail: string): Refusal => ({ error_id, error_message: prefix + detail, status, close });

export const notAUuid = refusal(101, 400, NORMAL, 'Parse error: ');
export const denied = refusal(102, 403, POLICY, 'Permission denied: ');
export const databaseFailed = refusal(103, 503, AGAIN, 'Database error: ');
export const invalid = refusal(108, 400, NORMAL, 'Invalid input: ');
export const taken = refusal(108, 409, AGAIN, 'Invalid input: ');
export const tooMany = refusal(108, 429, AGAIN, 'Invalid input: ');
export const absent = refusal(108, 404, AGAIN, 'Invalid input: ');

/** The message to a refused side. */
export const refusalText = ({ error_id, error_message }: Refusal): string =>
  JSON.stringify({ error_id, error_message });

/** Tells the reason to a side that has been upgraded, then closes it. */
export function turnAway(peer: Peer, reason: Refusal): void {
  peer.sendText(refusalText(reason));
  // Reading goes on so that the closing handshake is noticed; messages are dropped.
  peer.listen(() => {});
  peer.close(reason.close);
}
