import {
  type Filled,
  fault,
  filled,
  lacks,
  listed,
  onlyOne,
  type Parts,
  type Reader,
  webAddress,
} from './parts.ts';

const TELEGRAM = 'tgram://BOT_TOKEN/CHAT_ID or telegram://BOT_TOKEN@telegram?chats=CHAT_ID';

/** Apprise has the token as the place, Shoutrrr as user and password. */
function telegram({ user, password, place, path, query }: Parts): Filled {
  const token = (password === '' ? place : `${user}:${password}`).replace(/^bot/, '');
  if (!token.includes(':'))
    throw lacks('the token of the bot (digits, a colon, letters)', TELEGRAM);
  const named = listed(query.get('chats') ?? query.get('channels') ?? query.get('to'));
  const chat = onlyOne([...path, ...named], 'the chat', TELEGRAM);
  const [, id = chat, topic] = /^(@?[^:]+):(\d+)$/.exec(chat) ?? [];
  const thread = topic ?? query.get('topic') ?? query.get('thread');
  return {
    kind: 'telegram',
    config: filled({
      chat_id: /^[-@\d]/.test(id) ? id : `@${id}`,
      thread_id: thread === undefined ? undefined : Number(thread),
    }),
    secret: { token },
  };
}

/** Apprise: `discord://ID/TOKEN`; Shoutrrr: `discord://TOKEN@ID`. */
function discord({ user, host, path, query }: Parts): Filled {
  const form = 'discord://WEBHOOK_ID/WEBHOOK_TOKEN or discord://TOKEN@WEBHOOK_ID';
  if (!/^\d+$/.test(host)) throw lacks('the id of the webhook, a number', form);
  const token = path[0] ?? user;
  if (token === '') throw lacks('the token of the webhook', form);
  return {
    kind: 'discord',
    config: filled({
      thread_id: query.get('thread') ?? query.get('thread_id') ?? query.get('threadid'),
      username: query.get('username') ?? (path[0] === undefined ? '' : user),
    }),
    secret: { url: `https://discord.com/api/webhooks/${host}/${encodeURIComponent(token)}` },
  };
}

/** Apprise: `slack://A/B/C`; Shoutrrr: `slack://hook:A-B-C@webhook`. */
function slack({ user, password, place, path }: Parts): Filled {
  const form = 'slack://TOKEN_A/TOKEN_B/TOKEN_C or slack://hook:A-B-C@webhook';
  if ([user, password, place].some((part) => /^xox[a-z]/.test(part)))
    throw fault('has the token of an app: make an incoming webhook in Slack and paste its URL');
  const parts = user === 'hook' ? password.split('-') : [place, ...path.slice(0, 2)];
  const names = ['first', 'second', 'third'];
  const missing = names.find((_, index) => (parts[index] ?? '') === '');
  if (missing !== undefined) throw lacks(`the ${missing} part of the webhook`, form);
  const key = parts.slice(0, 3).map(encodeURIComponent).join('/');
  return { kind: 'slack', config: {}, secret: { url: `https://hooks.slack.com/services/${key}` } };
}

/** `mmost://[NAME@]HOST[/PATH]/TOKEN`, `mattermost://[NAME@]HOST/TOKEN[/CHANNEL]`. */
function mattermost(parts: Parts): Filled {
  const { scheme, user, host, path, query } = parts;
  const form = 'mmosts://HOST/TOKEN or mattermost://HOST/TOKEN/CHANNEL';
  if (host === '') throw lacks('the host', form);
  const known = path.findIndex((part) => /^[a-z0-9]{26}$/.test(part));
  const at = known >= 0 ? known : scheme === 'mattermost' ? 0 : path.length - 1;
  const token = path[at];
  if (token === undefined) throw lacks('the key of the webhook', form);
  const channel = query.get('channel') ?? query.get('to') ?? path[at + 1];
  return {
    kind: 'mattermost',
    config: filled({
      username: query.get('username') ?? user,
      channel: channel?.replace(/^#/, ''),
    }),
    secret: { url: webAddress(parts, [...path.slice(0, at), 'hooks', token]) },
  };
}

/** Apprise: `rocket://A/B@HOST/#room`, whose key has a slash before the `@`; Shoutrrr: `rocketchat://[NAME@]HOST/A/B[/room]`. */
function rocketchat(parts: Parts): Filled {
  const form = 'rockets://ID/TOKEN@HOST/#room or rocketchat://HOST/ID/TOKEN/room';
  const [, first, second, place, behind = ''] =
    /^([^/@]+)\/([^/@]+)@([^/]+)(?:\/(.*))?$/.exec(parts.rest) ?? [];
  if (place !== undefined && first !== undefined && second !== undefined) {
    const [host = '', port = ''] = place.split(':');
    const channel = decodeURIComponent(behind.split('/')[0] ?? '');
    return hooked({ ...parts, host, port }, [first, second], { channel });
  }
  const [id, token, room = ''] = parts.path;
  if (parts.host === '') throw lacks('the host', form);
  if (id === undefined || token === undefined || /^[#@]/.test(id))
    throw lacks('the id and the token of the webhook', form);
  const channel = room === '' || /^[#@]/.test(room) ? room : `#${room}`;
  return hooked(parts, [id, token], { channel, username: parts.user });
}

const hooked = (
  parts: Parts,
  key: readonly string[],
  config: { [name: string]: string },
): Filled => ({
  kind: 'rocketchat',
  config: filled(config),
  secret: { url: webAddress(parts, ['hooks', ...key]) },
});

/** `workflows://HOST/WORKFLOW/SIGNATURE`. */
function workflows({ place, path }: Parts): Filled {
  const form = 'workflows://HOST/WORKFLOW/SIGNATURE; or paste the https address of the workflow';
  const [flow, signature] = path;
  if (place === '') throw lacks('the host', form);
  if (flow === undefined) throw lacks('the id of the workflow', form);
  if (signature === undefined) throw lacks('the signature', form);
  const run = '/triggers/manual/run';
  const query = new URLSearchParams({
    'api-version': '2016-06-01',
    sp: run,
    sv: '1.0',
    sig: signature,
  });
  const url = `https://${place}/workflows/${flow}/triggers/manual/paths/invoke?${query}`;
  return { kind: 'teams', config: {}, secret: { url } };
}

function teams(): Filled {
  throw fault(
    'is one of an Office 365 connector, which Microsoft has ended: make a workflow in Teams and paste its https address',
  );
}

const isToken = (text: string): boolean => /^(?:syt_|mct_|mat_)/.test(text);

/** `matrixs://TOKEN@HOST/!room`; a password in place of a token is none. */
function matrix(parts: Parts): Filled {
  const { user, password, path, query } = parts;
  const form = 'matrixs://ACCESS_TOKEN@HOST/!room:example.org';
  if (parts.host === '') throw lacks('the host', form);
  if (user !== '' && password !== '' && !isToken(password))
    throw fault(`has a password; write an access token instead: ${form}`);
  const token = password || user;
  if (token === '') throw lacks('the access token', form);
  const room = onlyOne([...path, ...listed(query.get('rooms'))], 'the room', form);
  if (!room.startsWith('!'))
    throw fault(
      'names a room by its alias: write its id, which begins with !, from the settings of the room',
    );
  const config = { server: webAddress(parts), room };
  return { kind: 'matrix', config, secret: { token } };
}

export const CHATS: { readonly [scheme: string]: Reader } = {
  tgram: telegram,
  telegram,
  discord,
  slack,
  mmost: mattermost,
  mmosts: mattermost,
  mattermost,
  rocket: rocketchat,
  rockets: rocketchat,
  rocketchat,
  workflows,
  workflow: workflows,
  teams,
  msteams: teams,
  matrix,
  matrixs: matrix,
};
