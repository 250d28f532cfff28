import { type Filled, fault, filled } from './parts.ts';

interface Service {
  /** Host of the service. */
  readonly host: RegExp;
  /** Path, with the parts that `read` takes. */
  readonly path: RegExp;
  read(url: URL, found: readonly string[]): Filled;
}

const asUrl =
  (kind: string) =>
  (url: URL): Filled => ({
    kind,
    config: {},
    secret: { url: url.href },
  });
const parameter = (url: URL, name: string): string => url.searchParams.get(name) ?? '';

const SERVICES: readonly Service[] = [
  {
    host: /^(?:\w+\.)?discord(?:app)?\.com$/,
    path: /^\/api\/(?:v\d+\/)?webhooks\/(\d+)\/([\w-]+)/,
    read: (url, [, id, token]) => ({
      kind: 'discord',
      config: filled({ thread_id: parameter(url, 'thread_id') }),
      secret: { url: `https://discord.com/api/webhooks/${id}/${token}` },
    }),
  },
  {
    host: /^hooks\.slack\.com$/,
    path: /^\/(?:services|workflows|triggers)\//,
    read: asUrl('slack'),
  },
  {
    host: /^ntfy\.sh$/,
    path: /^\/([\w-]+)\/?$/,
    read: (_url, [, topic]) => ({ kind: 'ntfy', config: { topic }, secret: {} }),
  },
  {
    host: /^api\.telegram\.org$/,
    path: /^\/bot(\d+:[\w-]+)/,
    read(url, [, token]) {
      const chat_id = parameter(url, 'chat_id');
      if (chat_id === '')
        throw fault(
          'lacks the chat; its form is https://api.telegram.org/botTOKEN/sendMessage?chat_id=CHAT',
        );
      const thread = parameter(url, 'message_thread_id');
      const thread_id = thread === '' ? undefined : Number(thread);
      return { kind: 'telegram', config: filled({ chat_id, thread_id }), secret: { token } };
    },
  },
  { host: /^chat\.googleapis\.com$/, path: /^\/v1\/spaces\//, read: asUrl('googlechat') },
  {
    host: /(?:^|\.)(?:logic\.azure\.com|environment\.api\.powerplatform\.com)$/,
    path: /\/workflows\//,
    read: asUrl('teams'),
  },
  { host: /(?:^|\.)webhook\.office\.com$/, path: /^\//, read: asUrl('teams') },
  {
    host: /^open\.(?:feishu\.cn|larksuite\.com)$/,
    path: /\/hook\/([\w-]+)/,
    read: ({ hostname }, [, hook]) => ({
      kind: 'feishu',
      config: { service: hostname.endsWith('.cn') ? 'feishu' : 'lark' },
      secret: { hook },
    }),
  },
  {
    host: /^oapi\.dingtalk\.com$/,
    path: /^\/robot\/send$/,
    read: (url) => ({
      kind: 'dingtalk',
      config: {},
      secret: filled({ token: parameter(url, 'access_token') }),
    }),
  },
  {
    host: /^qyapi\.weixin\.qq\.com$/,
    path: /^\/cgi-bin\/webhook\/send$/,
    read: (url) => ({ kind: 'wecom', config: {}, secret: filled({ key: parameter(url, 'key') }) }),
  },
  {
    host: /^(?:sctapi\.ftqq\.com|\d+\.push\.ft07\.com)$/,
    path: /\/(\w+)\.send$/,
    read: (_url, [, key]) => ({ kind: 'serverchan', config: {}, secret: { key } }),
  },
  {
    host: /^(?:www\.)?pushplus\.plus$/,
    path: /^\/send(?:\/(\w+))?/,
    read: (url, [, token]) => ({
      kind: 'pushplus',
      config: filled({ topic: parameter(url, 'topic') }),
      secret: filled({ token: token ?? parameter(url, 'token') }),
    }),
  },
  {
    host: /^api\.day\.app$/,
    path: /^\/(\w+)/,
    read: (_url, [, device_key]) => ({ kind: 'bark', config: {}, secret: { device_key } }),
  },
  { host: /^/, path: /^\/hooks\/[a-z0-9]{26}$/, read: asUrl('mattermost') },
  { host: /^/, path: /^\/hooks\/\w{17,24}\/\w{40,64}$/, read: asUrl('rocketchat') },
];

/** Fields of the service to which the address belongs; undefined: it is none that is known. */
export function serviceOf(url: URL): Filled | undefined {
  for (const { host, path, read } of SERVICES) {
    const found = host.test(url.hostname) ? path.exec(url.pathname) : null;
    if (found !== null) return read(url, found);
  }
  return undefined;
}
