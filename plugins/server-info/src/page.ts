import type { Brand } from '@svc/plugin-sdk';
import type { Exchange } from '@svc/plugin-sdk/http';
import { escapeHtml } from '@svc/plugin-sdk/http';

/** Facts on the page; plain text, escaped here. */
export interface PageFacts {
  readonly title: string;
  readonly uuid: string;
  readonly version: string;
  readonly rpcPath: string;
}

/** The page of `GET /` and `GET /svc/rpc` (conventions.md §6, "HTML page"). */
export function welcomePage({ title, uuid, version, rpcPath }: PageFacts): string {
  const name = escapeHtml(title);
  return `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${name} Server Backend</title>
<style>
body { font-family: sans-serif; max-width: 40rem; margin: 4rem auto; padding: 0 1rem }
span { font-family: monospace }
</style>
</head>
<body>
<h1>Welcome to ${name}</h1>
<p>UUID: <span>${escapeHtml(uuid)}</span></p>
<p>Version: <span>${escapeHtml(version)}</span></p>
<p>JSON-RPC over WebSocket and POST: <a href="${escapeHtml(rpcPath)}">${escapeHtml(rpcPath)}</a></p>
</body>
</html>
`;
}

/** Answers `GET` on the two page paths; any other method is left to the JSON-RPC handler. */
export function answerPage(
  exchange: Exchange,
  brand: Brand,
  facts: Omit<PageFacts, 'rpcPath' | 'title'>,
) {
  const rpcPath = brand.rewrite('/svc/rpc');
  if (exchange.method !== 'GET' || (exchange.path !== '/' && exchange.path !== rpcPath))
    return undefined;
  exchange.text(200, welcomePage({ ...facts, title: brand.title, rpcPath }), {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy':
      "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
    // Browsers complain of it where the connection is not encrypted.
    ...(exchange.secure && { 'cross-origin-opener-policy': 'same-origin' }),
  });
  return true as const;
}
