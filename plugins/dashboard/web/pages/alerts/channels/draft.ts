import type { Methods } from '@svc/client';
import { useEffect, useState } from 'preact/hooks';
import { navigate, to, usePoll, useServer, word } from '../../../frame/index.ts';
import { toast, useUnsavedWarning, useWork } from '../../../parts/index.ts';
import { chosenLanguage, t } from '../../../strings/index.ts';
import type { Channel, Kind } from '../model.ts';
import { isFilledByBrowser } from './subscription.ts';
import { useTests } from './tests.ts';

type NewChannel = Methods['channel_create']['params']['channel'];
export type TestAnswer = Methods['channel_test']['result'];
type Values = { readonly [name: string]: unknown };

export interface Draft {
  readonly name: string;
  readonly kind: string;
  readonly config: Values;
  /** What was typed; of a channel that is there, only what changes. */
  readonly secret: Values;
  readonly language: 'en' | 'zh-CN';
  readonly zone: string;
  readonly enable: boolean;
}

const BLANK: Draft = {
  name: '',
  kind: '',
  config: {},
  secret: {},
  language: chosenLanguage() === 'zh' ? 'zh-CN' : 'en',
  zone: Intl.DateTimeFormat().resolvedOptions().timeZone,
  enable: true,
};

export function useKinds() {
  const { call } = useServer();
  return usePoll('channel kinds', () => call('channel_kinds'));
}

/** Address of the server, for the links in messages; where another one is shown, that one's. */
export const publicUrl = (origin: string): string =>
  origin === location.origin
    ? document.baseURI.replace(new RegExp(`/${word}/dashboard/$`), '')
    : origin;

/** Tells whether an address leads to the computer that opens it. */
export const isLoopback = (url: string): boolean =>
  /^(localhost|.*\.localhost|127\.[\d.]+|\[::1\])$/.test(new URL(url).hostname);

const defaultsOf = ({ fields }: Kind): Values =>
  Object.fromEntries(
    fields.flatMap(({ name, default: value, secret }) =>
      secret || value === undefined ? [] : [[name, value]],
    ),
  );

/** `ntfy`, or `ntfy-2` where there is one. */
export function freeName(kind: string, taken: readonly string[]): string {
  for (let at = 1; ; at++) {
    const name = at === 1 ? kind : `${kind}-${at}`;
    if (!taken.includes(name)) return name;
  }
}

const isGiven = (value: unknown) =>
  value !== undefined && value !== '' && !(Array.isArray(value) && value.length === 0);

/** Channel as it is edited; a new one begins with its kind, or with a pasted address. */
export function useDraft(channel: Channel | undefined, taken: readonly string[]) {
  const { call, origin } = useServer();
  const [draft, setDraft] = useState<Draft>(() =>
    channel ? { ...BLANK, ...channel, secret: {} } : BLANK,
  );
  const [isChanged, setChanged] = useState(false);
  const [answer, setAnswer] = useState<TestAnswer>();
  useUnsavedWarning(isChanged);
  const change = (part: Partial<Draft> | ((old: Draft) => Partial<Draft>)) => {
    setChanged(true);
    setAnswer(undefined);
    setDraft((old) => ({ ...old, ...(typeof part === 'function' ? part(old) : part) }));
  };
  const choose = (kind: Kind) =>
    change({
      kind: kind.kind,
      config: defaultsOf(kind),
      secret: {},
      name: freeName(kind.kind, taken),
    });
  /** Fills the form from a pasted address. @throws RpcError: it is none of a kind that is known */
  const paste = async (url: string, kinds: readonly Kind[]) => {
    const { kind, config, secret } = await call('channel_read_url', { url: url.trim() });
    const found = kinds.find((one) => one.kind === kind);
    change({
      kind,
      config: { ...(found && defaultsOf(found)), ...config },
      secret,
      name: draft.name === '' || draft.kind !== kind ? freeName(kind, taken) : draft.name,
    });
  };
  const { taken: testTaken } = useTests();
  const test = useWork(async () => {
    const found = channel
      ? await call('channel_test', { name: channel.name })
      : await call('channel_test', { channel: newChannel(draft) });
    setAnswer(found);
    if (channel && found.ok) testTaken(channel.name);
  });
  const saving = useWork(async () => {
    if (channel) await saveChange(call, channel, draft);
    else
      await call('channel_create', { channel: newChannel(draft), public_url: publicUrl(origin) });
    if (answer?.ok) testTaken(draft.name.trim());
    toast(t.alerts.channelSaved(draft.name));
    setChanged(false);
    navigate(to('alerts', 'channels'));
  });
  return { draft, isChanged, answer, change, choose, paste, test, saving };
}

function newChannel({ config, secret, ...rest }: Draft): NewChannel {
  const { name, kind, language, zone, enable } = rest;
  const given = (values: Values) =>
    Object.fromEntries(Object.entries(values).filter(([, value]) => isGiven(value)));
  return {
    name: name.trim(),
    kind,
    language,
    zone,
    enable,
    config: given(config),
    secret: given(secret),
  };
}

async function saveChange(
  call: ReturnType<typeof useServer>['call'],
  { name }: Channel,
  draft: Draft,
): Promise<void> {
  const { config, secret } = newChannel({ ...draft, name });
  const { language, zone, enable } = draft;
  const hasSecret = Object.keys(secret ?? {}).length > 0;
  const change = { config, language, zone, enable, ...(hasSecret && { secret: secret ?? {} }) };
  const answer = await call('channel_update', { name, change });
  const { emptied } = answer as { readonly emptied: readonly string[] };
  if (emptied.length > 0) toast(t.alerts.emptied(emptied.join(', ')), { kind: 'bad' });
}

/** Fields that have to be filled and are not; the keys of a browser as one. */
export function lacking(draft: Draft, kind: Kind, channel: Channel | undefined): readonly string[] {
  const missing = kind.fields.filter(({ name, required, secret }) => {
    if (!required) return false;
    if (!secret) return !isGiven(draft.config[name]);
    return !isGiven(draft.secret[name]) && channel?.secret[name]?.set !== true;
  });
  const titles = missing.map(({ name, title }) =>
    isFilledByBrowser(kind.kind, name) ? t.alerts.browser.missing : title,
  );
  return [...new Set(titles)];
}

const ADDRESS = /^[a-z][\w+.-]*:\S+$/i;

/** Tells whether a text is typed that can be no address, whatever follows. */
export const isNoUrl = (url: string): boolean => {
  const text = url.trim();
  return text.length > 12 || /\s/.test(text) ? !ADDRESS.test(text) : false;
};

/** Reads a pasted address a moment after it was pasted. */
export function usePaste(paste: (url: string) => Promise<unknown>) {
  const [url, setUrl] = useState('');
  const { run, error } = useWork(paste);
  useEffect(() => {
    if (!ADDRESS.test(url.trim())) return;
    const timer = setTimeout(() => void run(url), 300);
    return () => clearTimeout(timer);
  }, [url]);
  return { url, setUrl, error };
}

/** Deletes a channel with what waits in it. */
export function useRemoval(name: string) {
  const { call } = useServer();
  return async () => {
    const { dropped } = await call('channel_delete', { name });
    toast(t.alerts.channelDeleted(name, dropped));
    navigate(to('alerts', 'channels'));
  };
}
