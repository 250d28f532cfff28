import { BodyTooBig, TooBusy } from '@svc/plugin-sdk/http';
import { Refusal } from './answers.ts';
import type { DavRequest } from './request.ts';
import { BadXml, type Element, parseXml } from './xml/parse.ts';

/** Largest body that is not a file. */
const MAX_BODY_BYTES = 65_536;

/** @throws Refusal 413 */
async function bodyOf({ exchange, parts }: DavRequest): Promise<Buffer> {
  const { request } = exchange;
  const cancel = parts.clock.timeout(() => request.destroy(), parts.stall_ms());
  try {
    return await exchange.body(MAX_BODY_BYTES);
  } catch (error) {
    if (error instanceof BodyTooBig) throw new Refusal(413);
    if (error instanceof TooBusy)
      throw new Refusal({ status: 503, headers: { 'retry-after': '1' } });
    throw error;
  } finally {
    cancel();
  }
}

/** Checks that a request has no body. @throws Refusal 415, 413 */
export async function requireNoBody(request: DavRequest): Promise<void> {
  if ((await bodyOf(request)).length > 0) throw new Refusal(415);
}

/** The root element; undefined without a body. @throws Refusal 400, 413 */
export async function xmlBody(request: DavRequest): Promise<Element | undefined> {
  const body = await bodyOf(request);
  if (body.length === 0) return undefined;
  try {
    return parseXml(body);
  } catch (error) {
    if (error instanceof BadXml) throw new Refusal(400);
    throw error;
  }
}
