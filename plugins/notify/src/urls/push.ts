import {
  type Filled,
  filled,
  lacks,
  listed,
  onlyOne,
  type Parts,
  type Reader,
  webAddress,
} from './parts.ts';

/** `ntfy://TOPIC` is ntfy.sh; `ntfys://[USER:PASSWORD@ | TOKEN@]HOST/TOPIC`. */
function ntfy(parts: Parts): Filled {
  const { user, password, host, path, query } = parts;
  const form = 'ntfy://TOPIC or ntfys://HOST/TOPIC';
  const topics = [...path, ...listed(query.get('to'))];
  const isCloud = topics.length === 0;
  const topic = onlyOne(isCloud ? [host] : topics, 'the topic', form);
  const isToken = query.get('auth') === 'token' || /^tk_/.test(password || user);
  const token = query.get('token') ?? (isToken || user === '' ? password || user : '');
  return {
    kind: 'ntfy',
    config: filled({
      server: isCloud || host === 'ntfy.sh' ? undefined : webAddress(parts),
      topic,
      user: token === '' ? user : '',
    }),
    secret: filled(token === '' ? { password } : { token }),
  };
}

/** `gotifys://HOST[/PATH]/TOKEN`. */
function gotify(parts: Parts): Filled {
  const form = 'gotifys://HOST/TOKEN';
  if (parts.host === '') throw lacks('the host', form);
  const token = parts.path.at(-1) ?? parts.query.get('token');
  if (token === undefined) throw lacks('the token of the application', form);
  return {
    kind: 'gotify',
    config: { server: webAddress(parts, parts.path.slice(0, -1)) },
    secret: { token },
  };
}

/** Apprise: `barks://HOST/KEY`; Shoutrrr: `bark://:KEY@HOST/PATH`. */
function bark(parts: Parts): Filled {
  const { user, password, host, path, query } = parts;
  const form = 'barks://HOST/DEVICE_KEY or bark://:DEVICE_KEY@HOST';
  if (host === '') throw lacks('the host', form);
  const isKeyFirst = user === '' && password !== '';
  const device_key = isKeyFirst ? password : onlyOne(path, 'the key of the device', form);
  return {
    kind: 'bark',
    config: filled({
      server: webAddress(parts, isKeyFirst ? path : []),
      group: query.get('group'),
      sound: query.get('sound'),
    }),
    secret: { device_key },
  };
}

/** Apprise: `pover://USER@TOKEN/DEVICE`; Shoutrrr: `pushover://shoutrrr:TOKEN@USER/?devices=`. */
function pushover({ user, password, place, path, query }: Parts): Filled {
  const form = 'pover://USER_KEY@API_TOKEN or pushover://shoutrrr:API_TOKEN@USER_KEY';
  const isSecondForm = password !== '';
  const [key, token] = isSecondForm ? [place, password] : [user, place];
  if (key === '') throw lacks('the key of the user', form);
  if (token === '') throw lacks('the API token', form);
  const devices = [...path, ...listed(query.get('devices'))];
  return {
    kind: 'pushover',
    config: filled({ device: devices.join(',') }),
    secret: { user: key, token },
  };
}

/** The integration key stands before the `@`, in the path, or alone. */
function pagerduty({ user, place, path, query }: Parts): Filled {
  const form = 'pagerduty://INTEGRATION_KEY';
  const key = [user, path[0] ?? '', place].find((part) => /^\w{32}$/.test(part));
  if (key === undefined) throw lacks('the integration key (32 letters and digits)', form);
  const region = query.get('region') ?? (/\.eu\./.test(place) ? 'eu' : '');
  return { kind: 'pagerduty', config: filled({ region }), secret: { routing_key: key } };
}

export const PUSHES: { readonly [scheme: string]: Reader } = {
  ntfy,
  ntfys: ntfy,
  gotify,
  gotifys: gotify,
  bark,
  barks: bark,
  pover: pushover,
  pushover,
  pagerduty,
};
