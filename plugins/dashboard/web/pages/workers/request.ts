import { textToBase64 } from '../../parts/index.ts';

export const kinds = [
  { value: 'call', label: 'onCall' },
  { value: 'cron', label: 'onCron' },
  { value: 'route', label: 'onRoute' },
  { value: 'inline_call', label: 'onInlineCall' },
] as const;
export type Kind = (typeof kinds)[number]['value'];

export const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS'] as const;

/** A request as it stands in the fields. */
export interface Request {
  readonly method: (typeof methods)[number];
  readonly path: string;
  readonly headers: string;
  readonly body: string;
}

export const NO_REQUEST: Request = { method: 'GET', path: '/', headers: '', body: '' };

export const hasBody = ({ method }: Request): boolean => method !== 'GET' && method !== 'HEAD';

/** Returns what the HTTP entry would hand to `onRoute`. */
export function requestOf(url: string, request: Request) {
  const { method, path, headers, body } = request;
  return {
    url: url + (/^[/?]/.test(path) || path === '' ? path : `/${path}`),
    method,
    headers: headers.split('\n').flatMap((line) => {
      const at = line.indexOf(':');
      return at < 1 ? [] : [{ name: line.slice(0, at).trim(), value: line.slice(at + 1).trim() }];
    }),
    ...(hasBody(request) && body !== '' && { body_base64: textToBase64(body) }),
  };
}
