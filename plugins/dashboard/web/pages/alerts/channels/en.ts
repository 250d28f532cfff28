export const browser = {
  offer: 'Notify in this browser',
  button: 'This browser',
  hint: 'Press the button in the browser that shall be notified: it fills in the keys.',
  asks: 'If your browser asks for notifications now, allow them.',
  filled: 'This browser is filled in. Send a test, then save.',
  keys: 'Keys, which the button fills in',
  missing: 'Keys of the browser',
  renew: 'Renew',
  taken: (channel: string | undefined) =>
    channel === undefined
      ? 'This browser is subscribed already, for a channel that is not in your list. Renewed, it is for this channel, and the old one goes silent.'
      : `This browser is subscribed already, for channel ${channel}. Renewed, it is for this channel, and ${channel} goes silent: delete it then.`,
  insecure:
    'Browsers allow notifications on https pages only. Open the dashboard by its https:// address (on the server itself: http://localhost), then come back here; the guide “TLS and proxies” says how to get one.',
  unable:
    'This browser takes no push messages here; neither do private windows, nor Safari on iPhone and iPad. Use Chrome, Edge or Firefox on a computer or on Android, or a channel of another kind, for example ntfy.',
  denied:
    'Notifications of this page are blocked. Allow them by the sign left of the address and press again; private windows never allow them.',
  unanswered: 'The browser’s question was not answered. Press again and allow notifications.',
  noWorker: (message: string) =>
    `The browser does not run the dashboard’s service worker: most often it does not trust the certificate. Use one that it trusts, then press again. ${message}`,
  unreachable:
    'The browser does not reach its push service; a private window never does. Look at its connection and firewall (Brave: switch on Google services for push messages in its settings), then press again.',
};
