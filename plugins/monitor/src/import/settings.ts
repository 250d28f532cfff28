import { within } from './values.ts';

/** Times of a check as another program has them, in seconds. */
export interface Times {
  readonly interval_s?: number | undefined;
  readonly timeout_s?: number | undefined;
  readonly retries?: number | undefined;
  readonly retry_s?: number | undefined;
}

/** Returns the times within what monitors take, and notes what became different. */
export function timesOf(given: Times, notes: string[]) {
  const bounded = (
    name: keyof Times,
    [least, most, usual]: readonly [number, number, number],
  ): number =>
    within(given[name], { least, most, usual }, (from, to) => {
      notes.push(`${name} is ${to}, it was ${from}`);
    });
  const interval_s = bounded('interval_s', [10, 86_400, 60]);
  const retries = bounded('retries', [0, 20, 0]);
  const longest = Math.min(60, interval_s);
  return {
    interval_s,
    timeout_s: bounded('timeout_s', [1, longest, Math.min(10, longest)]),
    retries,
    ...(retries > 0 && { retry_s: bounded('retry_s', [5, 3_600, Math.min(60, interval_s)]) }),
  };
}

/** Names of headers and parameters whose values are secret. */
const SECRET = /auth|cookie|key|pass|secret|sign|token/i;

/** Returns headers, the secret ones apart, as the fields of an HTTP monitor. */
export function headersOf(pairs: readonly (readonly [string, string])[]) {
  const lines = (isSecret: boolean) =>
    pairs
      .filter(([name]) => SECRET.test(name) === isSecret)
      .map(([name, value]) => `${name}: ${value}`);
  const [plain, secret] = [lines(false), lines(true)];
  return {
    ...(plain.length > 0 && { headers: plain }),
    ...(secret.length > 0 && { secret_headers: secret }),
  };
}

/** Notes what of a call no field keeps from people who may read the monitor: a body, and keys in an address. */
export function noteShown(url: string, body: string, notes: string[]): void {
  const names = [...(URL.parse(url)?.searchParams.keys() ?? [])];
  if (names.some((name) => SECRET.test(name)))
    notes.push('its address, with the key in it, shows to people who may read the monitor');
  if (body !== '') notes.push('its body shows to people who may read the monitor');
}

/** Splits an address into one without user and password, and these. */
export function addressOf(text: string) {
  const url = URL.parse(text);
  if (!url || (url.username === '' && url.password === '')) return { url: text };
  const [user, password] = [url.username, url.password].map(decoded);
  url.username = '';
  url.password = '';
  return { url: url.href, user, password };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
