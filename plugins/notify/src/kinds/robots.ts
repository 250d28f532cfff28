import { createHmac } from 'node:crypto';
import { errcodeFault, reading } from './answers.ts';
import {
  calledBy,
  json,
  listOf,
  optional,
  optionalSecret,
  present,
  secret,
  textOf,
  wholeText,
} from './build.ts';
import type { Field, Kind, Rendered } from './types.ts';

const signing = (help: string): Field => optionalSecret('secret', 'Signing secret', { help });
const keyword = optional('keyword', 'Keyword', {
  help: 'Word that the robot demands in each message; empty: none.',
});

const SERVERS: { readonly [service: string]: string } = {
  feishu: 'https://open.feishu.cn',
  lark: 'https://open.larksuite.com',
};
const COLOURS = { critical: 'red', warning: 'orange', info: 'blue' } as const;
const plain = (content: string) => ({ tag: 'plain_text', content });

function card(message: Rendered, word: string): object {
  const { title, lines, links, state, severity } = message;
  const buttons = links.map(({ label, url }) => ({ tag: 'button', text: plain(label), url }));
  const text = [...lines, word].filter((line) => line !== '').join('\n');
  return {
    config: { wide_screen_mode: true },
    header: { title: plain(title), template: state === 'over' ? 'green' : COLOURS[severity] },
    elements: [
      ...(text === '' ? [] : [{ tag: 'div', text: plain(text) }]),
      ...(buttons.length === 0 ? [] : [{ tag: 'action', actions: buttons }]),
    ],
  };
}

export const feishu: Kind = {
  kind: 'feishu',
  title: 'Feishu / Lark',
  summary: 'Cards of a group robot in Feishu (飞书) or Lark.',
  example_url: 'https://open.feishu.cn/open-apis/bot/v2/hook/ID',
  fields: [
    optional('service', 'Service', {
      type: 'choice',
      choices: ['feishu', 'lark'],
      default: 'feishu',
      host: true,
    }),
    secret('hook', 'Id of the robot', { help: 'The last part of the address of the robot.' }),
    signing('Only where the robot checks signatures.'),
    keyword,
  ],
  check: (values) =>
    /^[\w-]+$/.test(textOf(values, 'hook'))
      ? undefined
      : "'hook' is the last part of the address of the robot, not the whole address",
  request(values, message, { now }) {
    const key = textOf(values, 'secret');
    const timestamp = `${Math.floor(now / 1_000)}`;
    const sign = createHmac('sha256', `${timestamp}\n${key}`).digest('base64');
    const host = SERVERS[textOf(values, 'service')] ?? SERVERS['feishu'];
    return json(`${host}/open-apis/bot/v2/hook/${textOf(values, 'hook')}`, {
      ...(key === '' ? {} : { timestamp, sign }),
      msg_type: 'interactive',
      card: card(message, textOf(values, 'keyword')),
    });
  },
  answer: reading({
    title: 'Feishu',
    said: (body) => body['msg'],
    fault(body) {
      const code = body['code'] ?? body['StatusCode'];
      return code === 0 ? undefined : `${body['msg'] ?? 'no code 0'} (${code})`;
    },
    hints: [
      ['(19021)', 'check the signing secret, and the clock of this server'],
      ['(19022)', 'let the robot take messages from the address of this server'],
      ['(19024)', 'write the keyword of the robot into the channel'],
      ['(19001)', 'the robot is gone or the id is wrong: copy its address again'],
    ],
    passing: ['(9499)', '(11232)', '(11233)'],
    wait: () => 60_000,
  }),
  limits: { per_second: 5, per_minute: 100, burst: 5 },
  size: { title: 400, text: 12_000, bytes: true },
  markup: 'plain',
  idempotent: 'none',
};

export const dingtalk: Kind = {
  kind: 'dingtalk',
  title: 'DingTalk',
  summary: 'Messages of a group robot in DingTalk (钉钉).',
  example_url: 'https://oapi.dingtalk.com/robot/send?access_token=TOKEN',
  fields: [
    secret('token', 'Access token', { help: 'The part after access_token= in the address.' }),
    signing('Only where the robot checks signatures; it begins with SEC.'),
    keyword,
    optional('mobiles', 'Called for critical alerts', {
      type: 'list',
      help: 'Telephone numbers of members of the group.',
    }),
  ],
  request(values, message, { now }) {
    const url = new URL('https://oapi.dingtalk.com/robot/send');
    url.searchParams.set('access_token', textOf(values, 'token'));
    const key = textOf(values, 'secret');
    if (key !== '') {
      const sign = createHmac('sha256', key).update(`${now}\n${key}`).digest('base64');
      url.searchParams.set('timestamp', `${now}`);
      url.searchParams.set('sign', sign);
    }
    const mobiles = calledBy(message, listOf(values, 'mobiles'));
    const parts = [wholeText(message), textOf(values, 'keyword')];
    return json(
      url.href,
      present({
        msgtype: 'text',
        text: { content: parts.filter((part) => part !== '').join('\n') },
        at: mobiles && { atMobiles: mobiles, isAtAll: false },
      }),
    );
  },
  answer: reading({
    title: 'DingTalk',
    said: (body) => body['errmsg'],
    fault: errcodeFault,
    hints: [
      ['keyword', 'write the keyword of the robot into the channel'],
      ['关键词', 'write the keyword of the robot into the channel'],
      ['sign', 'check the signing secret, and the clock of this server'],
      ['签名', 'check the signing secret, and the clock of this server'],
      ['token is not exist', 'the robot is gone or the token is wrong: copy its address again'],
      ['whitelist', 'let the robot take messages from the address of this server'],
    ],
    passing: ['(130101)', '(-1)', 'too fast'],
    wait: () => 600_000,
  }),
  limits: { per_minute: 18, burst: 5 },
  size: { title: 400, text: 8_000, bytes: true },
  markup: 'plain',
  idempotent: 'none',
};
