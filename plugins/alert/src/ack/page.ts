import { createHash } from 'node:crypto';
import type { Severity } from '@svc/plugin-notify/api';
import { escapeHtml } from '@svc/plugin-sdk/http';
import type { Words } from './words.ts';

const STYLE = `:root{color-scheme:light dark;--bg:#f7f7f5;--surface:#fff;--line:#e6e5e1;--text:#1c1c1a;--muted:#63625d;--warning:#8a5300;--critical:#c22f2f;--info:#2f5bd0;--accent:#2f5bd0;--on:#fff}
@media (prefers-color-scheme:dark){:root{--bg:#101113;--surface:#17181b;--line:#2a2c31;--text:#ecebe8;--muted:#a3a29c;--warning:#f0b429;--critical:#ff6b6b;--info:#7aa2ff;--accent:#7aa2ff;--on:#101113}}
*{box-sizing:border-box}
body{margin:0;background:var(--bg);color:var(--text);font:16px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,"Noto Sans","PingFang SC","Microsoft YaHei","Noto Sans CJK SC",sans-serif;overflow-wrap:anywhere}
main{max-width:480px;margin:0 auto;padding:32px 16px}
section{background:var(--surface);border:1px solid var(--line);border-radius:8px;padding:16px}
h1{font-size:20px;line-height:1.3;margin:0 0 8px}
p{margin:4px 0;color:var(--muted)}
a{color:var(--accent)}.s{font-weight:600}.warning{color:var(--warning)}.critical{color:var(--critical)}.info{color:var(--info)}
.d{color:var(--text);font-size:18px}
form{display:grid;gap:12px;margin:16px 0}
button{font:inherit;font-weight:600;min-height:48px;border-radius:8px;border:1px solid var(--accent);background:none;color:var(--accent);cursor:pointer}
button.p{background:var(--accent);color:var(--on)}
:focus-visible{outline:2px solid var(--accent);outline-offset:2px}`;

const source = `'sha256-${createHash('sha256').update(STYLE).digest('base64')}'`;

/** Policy of the page: no script, nothing from elsewhere, and its form goes to this server only. */
export const POLICY = `default-src 'none'; style-src ${source}; base-uri 'none'; form-action 'self'; frame-ancestors 'none'`;

/** Facts of an alert on the page. */
export interface Shown {
  readonly rule: string;
  readonly subject: string;
  readonly part: string;
  readonly severity: Severity;
  readonly value: string;
  readonly threshold: string;
  /** Unix ms; undefined: nothing is said of it. */
  readonly since?: number;
  /** Address of its page in the dashboard; empty: unknown. */
  readonly url: string;
}

export const minuteOf = (time: number): string =>
  new Date(time).toISOString().slice(0, 16).replace('T', ' ');

export const fill = (text: string, values: Readonly<Record<string, string>>): string =>
  text.replace(/\{(\w+)\}/g, (whole, name: string) => values[name] ?? whole);

/** Page with what the alert is and two buttons. */
export function askPage(words: Words, shown: Shown): string {
  const buttons = `<form method="post"><button class="p" name="hours" value="">${words.ack}</button><button name="hours" value="4">${words.ackHours}</button></form>`;
  return pageOf(words, `${sectionOf(words, shown)}${buttons}<p>${words.means}</p>`);
}

/** Page with one sentence, and the alert where it is known. */
export function sayPage(words: Words, sentence: string, shown?: Shown): string {
  const alert = shown ? sectionOf(words, shown) : '';
  return pageOf(words, `${alert}<p class="d" role="status">${escapeHtml(sentence)}</p>`);
}

function sectionOf(words: Words, shown: Shown): string {
  const { rule, subject, part, severity, value, threshold, since, url } = shown;
  const text = (foreign: string) => `<bdi>${escapeHtml(foreign)}</bdi>`;
  const where = part === '' ? text(subject) : `${text(subject)} · ${text(part)}`;
  const limit = threshold === '' ? value : fill(words.value, { value, threshold });
  const measured = value === '' ? '' : `<p>${escapeHtml(limit)}</p>`;
  const began = since === undefined ? '' : fill(words.since, { time: minuteOf(since) });
  const time = began === '' ? '' : `<p>${began}</p>`;
  const link = url === '' ? '' : `<p><a href="${escapeHtml(url)}">${words.dashboard}</a></p>`;
  return `<section><p class="s ${severity}">${words.severity[severity]}</p><h1>${text(rule)}</h1><p class="d">${where}</p>${measured}${time}${link}</section>`;
}

const pageOf = (words: Words, main: string): string => `<!DOCTYPE html>
<html lang="${words.code}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1"><meta name="color-scheme" content="light dark"><meta name="robots" content="noindex">
<title>${words.title}</title><style>${STYLE}</style></head>
<body><main>
${main}
</main></body></html>
`;
