import { request as plain } from 'node:http';
import { request as secure } from 'node:https';
import { hasPin } from '../cert-pin.ts';
import type { ServerConfig } from '../config.ts';

const MOST_BYTES = 32 * 1024 * 1024;

/**
 * A whole file of the server, whose certificate is checked as for the WebSocket. No redirects are followed.
 * @throws Error for a status other than 200, and past 32 MB
 */
export async function download(
  url: string,
  { ignore_cert, cert_pin }: Pick<ServerConfig, 'ignore_cert' | 'cert_pin'>,
  signal: AbortSignal,
): Promise<Buffer> {
  const rejectUnauthorized = !ignore_cert && cert_pin === undefined;
  const request = url.startsWith('https:') ? secure : plain;
  return new Promise((resolve, reject) => {
    const sent = request(url, { signal, rejectUnauthorized, agent: false }, (response) => {
      const parts: Buffer[] = [];
      let bytes = 0;
      const fail = (reason: string) => response.destroy(new Error(`${url}: ${reason}`));
      response.on('error', reject);
      response.on('data', (part: Buffer) => {
        parts.push(part);
        bytes += part.length;
        if (bytes > MOST_BYTES) fail('more than 32 MB');
      });
      response.on('end', () => resolve(Buffer.concat(parts)));
      if (cert_pin !== undefined && !hasPin(response.socket, cert_pin))
        fail('not the key of cert_pin');
      else if (response.statusCode !== 200) fail(`status ${response.statusCode}`);
    });
    sent.on('error', reject);
    sent.end();
  });
}
