import type { IncomingMessage } from 'node:http';

/**
 * The whole body of an answer.
 * @throws Error as soon as it exceeds `max_bytes`, and when the connection ends before it is complete
 */
export async function readBody(answer: IncomingMessage, max_bytes: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of answer as AsyncIterable<Buffer>) {
    size += chunk.length;
    // Leaving the loop destroys the answer.
    if (size > max_bytes) throw new Error(`the answer is larger than ${max_bytes} bytes`);
    chunks.push(chunk);
  }
  if (!answer.complete) throw new Error('the answer broke off');
  return Buffer.concat(chunks, size);
}
