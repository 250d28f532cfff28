/**
 * `/svc/status/_/page.js`: shows times in the reader's zone and by the reader's clock, of 12 or 24 hours, and takes a new page from the server while it is looked at. The page
 * is whole without it. `data-every` of the body is the number of seconds between two readings.
 */
export const script = `'use strict';
(() => {
  const { lang } = document.documentElement;
  const word = (tag) => tag.split('-')[0];
  const locale = navigator.languages.find((one) => word(one) === word(lang)) || (lang === 'en' ? 'en-GB' : lang);
  const { hourCycle } = new Intl.DateTimeFormat(navigator.language, { hour: 'numeric' }).resolvedOptions();
  const clock = { hour: hourCycle < 'h2' ? 'numeric' : '2-digit', minute: '2-digit', hourCycle };
  const day = { day: 'numeric', month: 'short' };
  const forms = [clock, { ...day, ...clock }, { ...day, year: 'numeric', ...clock }]
    .map((form) => new Intl.DateTimeFormat(locale, form));
  const utc = new Intl.DateTimeFormat(locale, { ...day, ...clock, timeZone: 'UTC', timeZoneName: 'short' });
  // Bars tell times of the last day in text alone.
  const inZone = (text) => text.replace(/(\\d\\d):(\\d\\d) UTC/g, (_, hour, minute) => {
    const time = new Date().setUTCHours(hour, minute, 0, 0);
    return forms[0].format(time > Date.now() ? time - 86400000 : time);
  });
  const local = () => {
    const now = new Date();
    for (const element of document.querySelectorAll('time')) {
      const time = new Date(element.dateTime);
      element.title = utc.format(time);
      const sameYear = time.getFullYear() === now.getFullYear();
      const before = element.previousElementSibling;
      const reference = before?.localName === 'time' ? new Date(before.dateTime) : now;
      const form = time.toDateString() === reference.toDateString() ? 0 : sameYear ? 1 : 2;
      element.textContent = forms[form].format(time);
    }
    for (const title of document.querySelectorAll('main svg title')) title.textContent = inZone(title.textContent);
    for (const bar of document.querySelectorAll('main svg[aria-label]')) bar.setAttribute('aria-label', inZone(bar.getAttribute('aria-label')));
  };
  const openOnes = () => [...document.querySelectorAll('details[open]')].map((one) => one.dataset.k);
  const renew = async () => {
    const answer = await window.fetch(location.href, { cache: 'no-cache' });
    if (!answer.ok) return;
    const next = new DOMParser().parseFromString(await answer.text(), 'text/html');
    const focused = document.activeElement?.closest('[data-k]')?.dataset.k;
    const open = openOnes();
    for (const name of ['main', 'footer']) {
      const [old, fresh] = [document.querySelector(name), next.querySelector(name)];
      if (old && fresh) old.replaceChildren(...fresh.childNodes);
    }
    document.title = next.title;
    for (const one of document.querySelectorAll('details')) {
      one.open = open.includes(one.dataset.k);
      if (focused !== undefined && one.dataset.k === focused) one.querySelector('summary').focus({ preventScroll: true });
    }
    local();
  };
  const every = Number(document.body.dataset.every) * 1000;
  let last = Date.now();
  const renewIfDue = () => {
    if (document.hidden || Date.now() - last < every) return;
    last = Date.now();
    renew().catch(() => {
      // The server cannot be reached now: what is shown stays, with its time.
    });
  };
  local();
  if (every > 0) setInterval(renewIfDue, Math.min(every, 5000));
  document.addEventListener('visibilitychange', renewIfDue);
})();
`;
