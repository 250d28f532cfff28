import { readUrl } from '../content.ts';
import { follow } from '../http/follow.ts';
import { elapsed } from '../measure.ts';
import type { TaskHandler } from '../task-context.ts';

/** Milliseconds until a GET is answered, redirects included; any status counts (clients.md §2.8). */
export const httpPing: TaskHandler = async (content, { runtime: { clock }, signal }) => {
  const url = readUrl(content, 'http_ping', ['http', 'https']);
  const begun = clock.steady();
  const call = { url, method: 'GET', headers: [], body: Buffer.alloc(0), family: 0 } as const;
  const answer = await follow(call, signal);
  const ms = elapsed(clock, begun);
  answer.destroy();
  return ms;
};
