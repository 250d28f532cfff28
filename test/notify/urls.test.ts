// URLs that people paste: both dialects, addresses of known services, and what is said of a part that is missing.
import fc from 'fast-check';
import * as assert from 'uvu/assert';
import { readChannelUrl } from '../../plugins/notify/src/urls/index.ts';
import { suite } from '../runner/suite.ts';

const test = suite('URLs of channels');

const DISCORD = { url: 'https://discord.com/api/webhooks/123/to-ken' };
const SLACK = { url: 'https://hooks.slack.com/services/T1/B1/Xy' };
const HOOK = 'abcdefghijklmnopqrstuvwxyz';
const KEY = '0123456789abcdef0123456789abcdef';
const mail = (change: object) => ({
  host: 'mail.example.com',
  port: 587,
  security: 'starttls',
  user: 'ops',
  from: 'ops@mail.example.com',
  to: ['me@example.com'],
  ...change,
});
const word = { password: 'word' };

// biome-ignore format: one URL per line
const ROWS: readonly (readonly [url: string, kind: string, config: object, secret: object])[] = [
  ['tgram://123:abc/-100456', 'telegram', { chat_id: '-100456' }, { token: '123:abc' }],
  ['tgram://123:abc/-100456:7/', 'telegram', { chat_id: '-100456', thread_id: 7 }, { token: '123:abc' }],
  ['tgram://bot123:abc/ops?topic=7', 'telegram', { chat_id: '@ops', thread_id: 7 }, { token: '123:abc' }],
  ['telegram://123:abc@telegram?chats=@ops', 'telegram', { chat_id: '@ops' }, { token: '123:abc' }],
  ['telegram://123:abc@telegram/?channels=-5', 'telegram', { chat_id: '-5' }, { token: '123:abc' }],
  ['https://api.telegram.org/bot123:abc/sendMessage?chat_id=-5', 'telegram', { chat_id: '-5' }, { token: '123:abc' }],
  ['discord://123/to-ken', 'discord', {}, DISCORD],
  ['discord://Bot@123/to-ken/?thread=9', 'discord', { username: 'Bot', thread_id: '9' }, DISCORD],
  ['discord://to-ken@123', 'discord', {}, DISCORD],
  ['discord://to-ken@123?username=Bot', 'discord', { username: 'Bot' }, DISCORD],
  ['https://discordapp.com/api/webhooks/123/to-ken', 'discord', {}, DISCORD],
  ['https://discord.com/api/v10/webhooks/123/to-ken?thread_id=9', 'discord', { thread_id: '9' }, DISCORD],
  ['slack://T1/B1/Xy', 'slack', {}, SLACK],
  ['slack://Bot@T1/B1/Xy/#ops', 'slack', {}, SLACK],
  ['slack://hook:T1-B1-Xy@webhook?botname=Bot', 'slack', {}, SLACK],
  ['https://hooks.slack.com/services/T1/B1/Xy', 'slack', {}, SLACK],
  ['mmosts://Bot@chat.example.com/team/key', 'mattermost', { username: 'Bot' }, { url: 'https://chat.example.com/team/hooks/key' }],
  ['mmost://10.0.0.2:8065/key?channel=ops', 'mattermost', { channel: 'ops' }, { url: 'http://10.0.0.2:8065/hooks/key' }],
  ['mattermost://Bot@chat.example.com/key/ops', 'mattermost', { username: 'Bot', channel: 'ops' }, { url: 'https://chat.example.com/hooks/key' }],
  [`https://chat.example.com/hooks/${HOOK}`, 'mattermost', {}, { url: `https://chat.example.com/hooks/${HOOK}` }],
  ['rockets://id/token@chat.example.com/#ops', 'rocketchat', { channel: '#ops' }, { url: 'https://chat.example.com/hooks/id/token' }],
  ['rocketchat://Bot@chat.example.com:8443/id/token/ops', 'rocketchat', { username: 'Bot', channel: '#ops' }, { url: 'https://chat.example.com:8443/hooks/id/token' }],
  ['workflows://prod.logic.azure.com:443/flow/sig', 'teams', {}, { url: 'https://prod.logic.azure.com:443/workflows/flow/triggers/manual/paths/invoke?api-version=2016-06-01&sp=%2Ftriggers%2Fmanual%2Frun&sv=1.0&sig=sig', }],
  ['https://prod.logic.azure.com/workflows/1/triggers/manual/paths/invoke?sig=s', 'teams', {}, { url: 'https://prod.logic.azure.com/workflows/1/triggers/manual/paths/invoke?sig=s' }],
  ['https://chat.googleapis.com/v1/spaces/S/messages?key=K&token=T', 'googlechat', {}, { url: 'https://chat.googleapis.com/v1/spaces/S/messages?key=K&token=T' }],
  ['matrixs://tok@matrix.example.org/!room:example.org', 'matrix', { server: 'https://matrix.example.org', room: '!room:example.org' }, { token: 'tok' }],
  ['matrix://ops:syt_1@matrix.example.org?rooms=!room:example.org', 'matrix', { server: 'https://matrix.example.org', room: '!room:example.org' }, { token: 'syt_1' }],
  ['ntfy://alerts', 'ntfy', { topic: 'alerts' }, {}],
  ['ntfy://ntfy.sh/alerts', 'ntfy', { topic: 'alerts' }, {}],
  ['https://ntfy.sh/alerts', 'ntfy', { topic: 'alerts' }, {}],
  ['ntfys://ops:word@ntfy.example.com/alerts', 'ntfy', { server: 'https://ntfy.example.com', topic: 'alerts', user: 'ops' }, word],
  ['ntfys://tk_1@ntfy.example.com/alerts', 'ntfy', { server: 'https://ntfy.example.com', topic: 'alerts' }, { token: 'tk_1' }],
  ['ntfy://:tk_1@ntfy.example.com/alerts', 'ntfy', { server: 'https://ntfy.example.com', topic: 'alerts' }, { token: 'tk_1' }],
  ['ntfy://127.0.0.1:8080/alerts', 'ntfy', { server: 'http://127.0.0.1:8080', topic: 'alerts' }, {}],
  ['ntfy://ntfy.example.com:8080/alerts?scheme=https', 'ntfy', { server: 'https://ntfy.example.com:8080', topic: 'alerts' }, {}],
  ['gotifys://gotify.example.com/sub/tok', 'gotify', { server: 'https://gotify.example.com/sub' }, { token: 'tok' }],
  ['gotify://gotify.example.com/tok', 'gotify', { server: 'https://gotify.example.com' }, { token: 'tok' }],
  ['gotify://gotify.example.com/tok?disabletls=yes', 'gotify', { server: 'http://gotify.example.com' }, { token: 'tok' }],
  ['barks://api.day.app/key', 'bark', { server: 'https://api.day.app' }, { device_key: 'key' }],
  ['bark://:key@api.day.app/?sound=alarm', 'bark', { server: 'https://api.day.app', sound: 'alarm' }, { device_key: 'key' }],
  ['https://api.day.app/key/title', 'bark', {}, { device_key: 'key' }],
  ['pover://user@tok/phone/tablet', 'pushover', { device: 'phone,tablet' }, { user: 'user', token: 'tok' }],
  ['pushover://shoutrrr:tok@user/?devices=phone', 'pushover', { device: 'phone' }, { user: 'user', token: 'tok' }],
  [`pagerduty://${KEY}@api`, 'pagerduty', {}, { routing_key: KEY }],
  [`pagerduty:///${KEY}`, 'pagerduty', {}, { routing_key: KEY }],
  [`pagerduty://${KEY}?region=eu`, 'pagerduty', { region: 'eu' }, { routing_key: KEY }],
  ['mailto://ops:word@mail.example.com?to=me@example.com', 'smtp', mail({}), word],
  ['mailtos://ops:word@mail.example.com:465/me@example.com', 'smtp', mail({ port: 465, security: 'tls' }), word],
  ['mailtos://ops:word@example.com?smtp=mail.example.com&from=Ops%20<a@b.example>&to=me%2Bx@example.com,you@example.com', 'smtp', mail({ from: 'a@b.example', from_name: 'Ops', to: ['me+x@example.com', 'you@example.com'] }), word],
  ['mailtos://user:password@gmail.com?to=me@example.com', 'smtp', { host: 'smtp.gmail.com', port: 587, security: 'starttls', user: 'user@gmail.com', from: 'user@gmail.com', to: ['me@example.com'], }, { password: 'password' }],
  ['mailto://user:p%40ss@qq.com', 'smtp', { host: 'smtp.qq.com', port: 465, security: 'tls', user: 'user@qq.com', from: 'user@qq.com', to: ['user@qq.com'], }, { password: 'p@ss' }],
  ['smtp://ops:word@mail.example.com:587/?from=ops@mail.example.com&to=me@example.com', 'smtp', mail({}), word],
  ['smtp://mail.example.com:25/?from=ops@mail.example.com&to=me@example.com', 'smtp', { host: 'mail.example.com', port: 25, security: 'none', from: 'ops@mail.example.com', to: ['me@example.com'], }, {}],
  ['jsons://ops:word@example.com:8443/path?key=1', 'webhook', { url: 'https://example.com:8443/path', user: 'ops' }, { password: 'word', query: 'key=1' }],
  ['json://example.com/path?+X-Key=v&method=POST', 'webhook', { url: 'http://example.com/path' }, { header: 'X-Key: v' }],
  ['generic://example.com/path?template=JSON&@X-Key=v&key=1', 'webhook', { url: 'https://example.com/path' }, { header: 'X-Key: v', query: 'key=1' }],
  ['generic+https://example.com/path?key=1', 'webhook', { url: 'https://example.com/path' }, { query: 'key=1' }],
  ['https://example.com/path?key=1', 'webhook', { url: 'https://example.com/path' }, { query: 'key=1' }],
  ['https://open.feishu.cn/open-apis/bot/v2/hook/ab-cd', 'feishu', { service: 'feishu' }, { hook: 'ab-cd' }],
  ['https://open.larksuite.com/open-apis/bot/v2/hook/ab-cd', 'feishu', { service: 'lark' }, { hook: 'ab-cd' }],
  ['https://oapi.dingtalk.com/robot/send?access_token=tok', 'dingtalk', {}, { token: 'tok' }],
  ['https://qyapi.weixin.qq.com/cgi-bin/webhook/send?key=ab-cd', 'wecom', {}, { key: 'ab-cd' }],
  ['https://sctapi.ftqq.com/SCT1.send', 'serverchan', {}, { key: 'SCT1' }],
  ['https://12.push.ft07.com/send/sctp12tKEY.send', 'serverchan', {}, { key: 'sctp12tKEY' }],
  ['http://www.pushplus.plus/send?token=tok', 'pushplus', {}, { token: 'tok' }],
];

for (const [url, kind, config, secret] of ROWS)
  test(url, () => assert.equal(readChannelUrl(url), { kind, config, secret }));

const FAULTS: readonly (readonly [url: string, fault: RegExp])[] = [
  ['', /has no scheme/],
  ['123:abc', /has no scheme/],
  ['foo://x', /scheme 'foo', which is not known/],
  ['discrod://1/2', /did you mean 'discord'/],
  ['tgram://SECRET/1', /lacks the token of the bot/],
  ['tgram://123:SECRET', /lacks the chat/],
  ['telegram://123:SECRET@telegram', /lacks the chat/],
  ['tgram://123:SECRET/1/2', /more than one place: make a channel for each/],
  ['https://api.telegram.org/bot123:SECRET/sendMessage', /lacks the chat/],
  ['discord://123', /lacks the token of the webhook/],
  ['discord://SECRET/x', /lacks the id of the webhook/],
  ['slack://T1/SECRET', /lacks the third part/],
  ['slack://hook:T1@webhook', /lacks the second part/],
  ['slack://xoxb-SECRET/#ops', /make an incoming webhook/],
  ['mmosts://chat.example.com', /lacks the key of the webhook/],
  ['rockets://chat.example.com/#ops', /lacks the id and the token/],
  ['workflows://prod.logic.azure.com/SECRET', /lacks the signature/],
  ['msteams://team/SECRET/x/y', /Microsoft has ended/],
  ['https://team.webhook.office.com/webhookb2/SECRET', /Microsoft has ended/],
  ['https://chat.googleapis.com/v1/spaces/S/messages?key=SECRET', /it ends with \?key=…&token=…/],
  ['matrixs://ops:SECRET@matrix.example.org/!room:x', /has a password; write an access token/],
  ['matrixs://SECRET@matrix.example.org', /lacks the room/],
  ['matrixs://SECRET@matrix.example.org/#alias:x', /by its alias/],
  ['ntfy://ntfy.example.com/a/b', /more than one place/],
  ['ntfy://', /has no scheme/],
  ['gotifys://gotify.example.com', /lacks the token of the application/],
  ['barks://api.day.app', /lacks the key of the device/],
  ['pover://SECRET', /lacks the key of the user/],
  ['pagerduty://SECRET', /lacks the integration key/],
  ['smtp://mail.example.com', /lacks the sender/],
  ['mailto://ops:SECRET@mail.example.com?to=me', /names a recipient that is no address/],
  ['mailto://ops:SECRET@mail.example.com?mode=insecure', /would send the password in the clear/],
  ['json://example.com?method=GET', /another method than POST/],
  ['https://%zz', /two hexadecimal digits/],
  ['https://oapi.dingtalk.com/robot/send', /'token' \(Access token\) is missing/],
  [`ntfy://${'x'.repeat(5_000)}`, /longer than/],
];
for (const [url, fault] of FAULTS)
  test(`${url.slice(0, 60)} is refused in words, without its keys`, () => {
    assert.throws(
      () => readChannelUrl(url),
      (error: any) => {
        assert.is(error.code, 108);
        assert.match(error.message, fault);
        assert.not.match(error.message, 'SECRET');
        return true;
      },
    );
  });

test('any text is read or refused with 108', () => {
  const schemes = ROWS.map(([url]) => url.slice(0, url.indexOf('://') + 3));
  const texts = fc.tuple(fc.constantFrom('', ...schemes), fc.oneof(fc.string(), fc.webUrl()));
  fc.assert(
    fc.property(texts, ([scheme, rest]) => {
      try {
        readChannelUrl(`${scheme}${rest}`);
      } catch (error: any) {
        assert.is(error.code, 108, `${scheme}${rest}: ${error.stack}`);
      }
    }),
    { numRuns: 2_000 },
  );
});

test.run();
