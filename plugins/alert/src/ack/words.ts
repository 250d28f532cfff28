import { acceptedLanguage } from '@svc/plugin-sdk/http';

const en = {
  code: 'en',
  title: 'Alert',
  severity: { info: 'Info', warning: 'Warning', critical: 'Critical' },
  since: 'Since {time} UTC',
  value: '{value} (limit {threshold})',
  ack: 'Acknowledge',
  ackHours: 'Acknowledge for 4 hours',
  means: 'Reminders and further steps stop. You still hear when it is over.',
  done: 'Acknowledged.',
  doneUntil: 'Acknowledged until {time} UTC.',
  over: 'This alert is over. There is nothing to acknowledge.',
  again: 'That one is over. It opened again at {time} UTC; this link does not acknowledge it.',
  dashboard: 'Open it in the dashboard',
  already: 'This alert is acknowledged already.',
  gone: 'This link is not known, was used, or is older than a day.',
  wait: 'Too many wrong links from this address. Try again in some seconds.',
  failed: 'The server could not do this now. Try again.',
} as const;

type Shape<T> = { readonly [K in keyof T]: T[K] extends string ? string : Shape<T[K]> };
/** Texts of the page in one language. */
export type Words = Shape<typeof en>;

const zh: Words = {
  code: 'zh-CN',
  title: '告警',
  severity: { info: '信息', warning: '警告', critical: '严重' },
  since: '自 {time} UTC 起',
  value: '{value}（阈值 {threshold}）',
  ack: '确认',
  ackHours: '确认 4 小时',
  means: '提醒和后续通知会停止，恢复时仍会通知。',
  done: '已确认。',
  doneUntil: '已确认，有效至 {time} UTC。',
  over: '此告警已结束，无需确认。',
  again: '那一次告警已结束。它于 {time} UTC 再次触发；此链接不能确认新的告警。',
  dashboard: '在控制台中打开',
  already: '此告警已被确认。',
  gone: '链接无效、已使用，或已超过一天。',
  wait: '此地址的错误链接过多，请几秒后再试。',
  failed: '服务器暂时无法处理，请重试。',
};

const all = { en, 'zh-CN': zh };

/** Texts in the language that `Accept-Language` prefers. */
export const wordsFor = (header: string | undefined): Words =>
  all[acceptedLanguage(header, ['en', 'zh-CN'])];
