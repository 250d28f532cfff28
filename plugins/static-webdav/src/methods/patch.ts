import { type Answer, Refusal } from '../answers.ts';
import { merged } from '../partial.ts';
import type { DavRequest } from '../request.ts';
import { store } from './put.ts';

const TYPE = 'application/x-sabredav-partialupdate';

/** Writes a part of a file (static-http.md §B4). The whole file is written again, so readers never see half of a change. */
export async function patch(request: DavRequest): Promise<Answer> {
  const { headers } = request;
  const type = headers['content-type']?.split(';', 1)[0]?.trim().toLowerCase();
  if (type !== TYPE) throw new Refusal(415);
  if (headers['content-length'] === undefined) throw new Refusal(411);
  const length = Number(headers['content-length']);
  const field = headers['x-update-range'];
  return store(request, {
    isPart: true,
    content(body, before) {
      const size = before?.size ?? 0;
      const start = startOf(typeof field === 'string' ? field : '', length, size);
      return merged(request, body, { start, end: start + length, before });
    },
  });
}

/** Position of the body in the file. @throws Refusal 400 for a malformed field or another length, 416 for an impossible range */
function startOf(field: string, length: number, size: number): number {
  const text = field.trim();
  if (/^append$/i.test(text)) return size;
  const found = /^bytes=(\d{0,15})-(\d{0,15})$/i.exec(text);
  if (!found || (found[1] === '' && found[2] === '')) throw new Refusal(400);
  const [, first, last] = found as unknown as [string, string, string];
  const start = first === '' ? size - Number(last) : Number(first);
  if (start < 0 || start > size) throw new Refusal(416);
  if (first !== '' && last !== '') {
    if (Number(last) < start) throw new Refusal(416);
    if (Number(last) - start + 1 !== length) throw new Refusal(400);
  }
  return start;
}
