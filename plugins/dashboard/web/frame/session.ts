/** The credential of one server: for the tab, or on request for the device. */
const key = (origin: string) => `svc-session ${origin}`;

export const storedCredential = (origin: string): string | undefined =>
  sessionStorage.getItem(key(origin)) ?? localStorage.getItem(key(origin)) ?? undefined;

export function storeCredential(origin: string, credential: string, remember: boolean): void {
  forgetCredential(origin);
  (remember ? localStorage : sessionStorage).setItem(key(origin), credential);
}

export function forgetCredential(origin: string): void {
  sessionStorage.removeItem(key(origin));
  localStorage.removeItem(key(origin));
}
