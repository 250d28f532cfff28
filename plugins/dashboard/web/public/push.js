/** Service worker of the dashboard: shows what channels of the kind `webpush` send, and opens what a notification is about. */
const { clients, registration } = self;
const home = registration.scope;

self.addEventListener('install', () => self.skipWaiting());

self.addEventListener('push', (event) => {
  const { title, body, url = '', tag = '', severity, state } = event.data.json();
  const isOpen = state === 'open';
  // The same tag replaces what is shown: an end quietly, what is still open with a sound.
  const renotify = isOpen && tag !== '';
  const requireInteraction = isOpen && severity === 'critical';
  const options = { body, tag, renotify, requireInteraction, data: url };
  event.waitUntil(registration.showNotification(title, options));
});

self.addEventListener('notificationclick', (event) => {
  event.notification.close();
  event.waitUntil(show(new URL(event.notification.data, home)));
});

/** Opens a page of this origin; for an address elsewhere, or none, shows the dashboard where it is open. */
async function show({ origin, href }) {
  if (origin === self.location.origin && href !== home) return clients.openWindow(href);
  // A window's `url` is the one that it was loaded at: what it shows now is not known here.
  const windows = await clients.matchAll({ type: 'window', includeUncontrolled: true });
  const found = windows.find(({ url }) => url.startsWith(home));
  return found ? found.focus() : clients.openWindow(home);
}
