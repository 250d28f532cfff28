import { errcodeFault, reading } from './answers.ts';
import {
  calledBy,
  json,
  listOf,
  optional,
  present,
  secret,
  server,
  serverOf,
  textOf,
  wholeText,
  withLinks,
} from './build.ts';
import { ESCAPES, inBrackets } from './markup.ts';
import type { Kind } from './types.ts';

/** Address of a key: newer keys name their server. */
function addressOf(key: string): string {
  const number = /^sctp(\d+)t/.exec(key)?.[1];
  return number === undefined
    ? `https://sctapi.ftqq.com/${key}.send`
    : `https://${number}.push.ft07.com/send/${key}.send`;
}

const MOST_TITLE = 32;

export const serverchan: Kind = {
  kind: 'serverchan',
  title: 'ServerChan',
  summary: 'Messages in WeChat, over ServerChan (Server酱). Without a subscription five a day.',
  example_url: 'https://sctapi.ftqq.com/KEY.send',
  fields: [
    secret('key', 'SendKey', {
      example: 'SCT123456T…',
      help: 'sct.ftqq.com → Key & API → SendKey.',
    }),
  ],
  check: (values) =>
    /^[A-Za-z0-9]+$/.test(textOf(values, 'key'))
      ? undefined
      : "'key' has letters and digits only: write the SendKey, not the whole address",
  request(values, message) {
    const { title, lines, links } = message;
    const shown = lines.length === 0 ? [] : [title, ...lines];
    const desp = [
      ...shown.map((line) => ESCAPES.markdown(line)),
      ...links.map(({ label, url }) => `[${label}](${inBrackets(url)})`),
    ];
    return json(
      addressOf(textOf(values, 'key')),
      // Two spaces before the end of a line keep it apart from the next one.
      present({ title: [...title].slice(0, MOST_TITLE).join(''), desp: desp.join('  \n') }),
    );
  },
  answer: reading({
    title: 'ServerChan',
    said: (body) => body['message'] ?? body['info'],
    fault: (body) => (body['code'] === 0 ? undefined : String(body['message'] ?? 'no code 0')),
    hints: [
      ['key', 'copy the SendKey again'],
      ['次数', 'the messages of today are used up: choose fewer alerts for this channel'],
    ],
    passing: ['次数', 'rate', 'frequent'],
    wait: () => 3_600_000,
  }),
  limits: { per_minute: 1, burst: 2 },
  size: { title: 300, text: 8_000 },
  markup: 'markdown',
  idempotent: 'none',
};

export const pushplus: Kind = {
  kind: 'pushplus',
  title: 'PushPlus',
  summary: 'Messages in WeChat, over PushPlus.',
  fields: [
    secret('token', 'Token', { help: 'pushplus.plus: the token on the first page.' }),
    optional('topic', 'Group', { help: 'Code of a group; empty: only you.' }),
  ],
  request: (values, message) =>
    json(
      'https://www.pushplus.plus/send',
      present({
        token: textOf(values, 'token'),
        topic: textOf(values, 'topic'),
        title: message.title,
        content: withLinks(message) || message.title,
        template: 'txt',
      }),
    ),
  answer: reading({
    title: 'PushPlus',
    said: (body) => body['msg'],
    fault: (body) => (body['code'] === 200 ? undefined : String(body['msg'] ?? 'no code 200')),
    hints: [['token', 'copy the token again']],
    id: (body) => body['data'],
  }),
  limits: { per_minute: 5, burst: 3 },
  size: { title: 100, text: 10_000 },
  markup: 'plain',
  idempotent: 'none',
};

const WECOM = 'https://qyapi.weixin.qq.com';
export const wecom: Kind = {
  kind: 'wecom',
  title: 'WeCom',
  summary: 'Messages of a group robot in WeCom (企业微信).',
  example_url: `${WECOM}/cgi-bin/webhook/send?key=KEY`,
  fields: [
    secret('key', 'Key of the robot', { help: 'The part after key= in the address of the robot.' }),
    optional('mentions', 'Called for critical alerts', {
      type: 'list',
      example: '@all',
      help: 'Ids of users, or @all.',
    }),
    server(WECOM, WECOM),
  ],
  request(values, message) {
    const url = new URL(`${serverOf(values, WECOM)}/cgi-bin/webhook/send`);
    url.searchParams.set('key', textOf(values, 'key'));
    return json(url.href, {
      msgtype: 'text',
      text: present({
        content: wholeText(message),
        mentioned_list: calledBy(message, listOf(values, 'mentions')),
      }),
    });
  },
  answer: reading({
    title: 'WeCom',
    said: (body) => body['errmsg'],
    fault: errcodeFault,
    hints: [
      ['(93000)', 'the robot is gone or the key is wrong: copy the address of the robot again'],
      ['invalid webhook', 'the robot is gone or the key is wrong: copy its address again'],
    ],
    passing: ['(45009)', '(45033)', '(-1)'],
    wait: () => 60_000,
  }),
  limits: { per_minute: 20, burst: 5 },
  size: { title: 400, text: 1_000, bytes: true },
  markup: 'plain',
  idempotent: 'none',
};
