import {
  type Auth,
  DryRun,
  described,
  type Methods,
  needs,
  optional,
  type Principal,
  Type,
} from '@svc/plugin-sdk';
import type { Owners } from '@svc/plugin-token/api';
import { channelAnswer, isOwners, kindAnswer } from '../answers.ts';
import type { Changes } from '../changes.ts';
import { KINDS } from '../kinds/index.ts';
import { pageUrl } from '../page-url.ts';
import { mayDo } from '../permissions.ts';
import {
  ChannelAnswer,
  ChannelChange,
  ChannelName,
  KindAnswer,
  NewChannel,
  UrlAnswer,
} from '../schemas.ts';
import type { ChannelStore, Waiting } from '../store/channels.ts';
import type { StateStore } from '../store/state.ts';
import { readChannelUrl } from '../urls/index.ts';

export interface ChannelMethodParts {
  readonly auth: Auth;
  readonly owners: Owners;
  readonly changes: Changes;
  readonly channels: ChannelStore;
  readonly state: StateStore;
}

const on = (word: Parameters<typeof mayDo>[0]) =>
  needs(({ name }: { readonly name: string }) => mayDo(word, name));

/** `channel_create`, `_update`, `_delete`, `_get`, `_list`, `_kinds` and `_read_url`. */
export function addChannelMethods(methods: Methods, parts: ChannelMethodParts): void {
  addCreate(methods, parts);
  addUpdate(methods, parts);
  addReads(methods, parts);
  addForms(methods);
}

const answered = async ({ owners }: ChannelMethodParts, channel: Waiting, caller: Principal) => {
  const { name, owner } = channel;
  const mayWrite = await owners.may(owner, mayDo('write', name));
  return channelAnswer(channel, { own: isOwners(owners, caller, owner), mayWrite });
};

function addCreate(methods: Methods, parts: ChannelMethodParts): void {
  const { changes, state } = parts;
  methods.add('channel_create', {
    summary: 'Makes a channel to people.',
    description:
      'The caller owns it: messages are sent with its rights, and wait while its token may not write the channel.',
    addition: true,
    params: {
      channel: described(NewChannel, 'Name, kind and fields (`channel_kinds`).'),
      public_url: described(
        optional(Type.String({ maxLength: 300 })),
        'Address of the page on which it is made, for links in messages: that of the Super Token is kept, others are ignored.',
      ),
      dry_run: DryRun,
    },
    result: ChannelAnswer,
    audit: ({ channel, dry_run }) => (dry_run ? undefined : channel.name),
    prepare: ({ channel, public_url, dry_run }) => ({ channel, dry_run, url: pageUrl(public_url) }),
    access: { needs: ({ channel }) => mayDo('write', channel.name) },
    async handle({ channel, url, dry_run }, { caller }) {
      const made = await changes.create(channel, caller, dry_run === true);
      // The links of everybody's messages begin with it.
      if (url !== undefined && caller.super && !dry_run) await state.setUrl(url);
      return answered(parts, made, caller);
    },
  });
}

function addUpdate(methods: Methods, parts: ChannelMethodParts): void {
  const { changes } = parts;
  methods.add('channel_update', {
    summary: 'Changes a channel; the caller owns it from then on.',
    description:
      'Members that are absent stay as they are. Secret fields that are absent stay, too, unless the receiver changes: then they are emptied and named in `emptied`. A secret field that is null is emptied.',
    addition: true,
    params: {
      name: ChannelName,
      change: described(ChannelChange, 'The members that change.'),
      dry_run: DryRun,
    },
    result: Type.Interface([ChannelAnswer], {
      emptied: Type.Array(Type.String(), {
        description: 'Secret fields that were emptied because the receiver is another one.',
      }),
    }),
    audit: ({ name, dry_run }) => (dry_run ? undefined : name),
    access: on('write'),
    async handle({ name, change, dry_run }, { caller }) {
      const isDry = dry_run === true;
      const { channel, emptied } = await changes.update(name, change, caller, isDry);
      return { ...(await answered(parts, channel, caller)), emptied };
    },
  });
  methods.add('channel_delete', {
    summary: 'Deletes a channel; messages that wait are dropped.',
    addition: true,
    params: { name: ChannelName },
    result: Type.Object({
      success: Type.Boolean(),
      dropped: Type.Integer({ description: 'Messages that waited.' }),
    }),
    audit: ({ name }) => name,
    access: on('delete'),
    handle: async ({ name }) => ({ success: true, dropped: await changes.remove(name) }),
  });
}

function addReads(methods: Methods, parts: ChannelMethodParts): void {
  const { auth, changes, channels } = parts;
  methods.add('channel_get', {
    summary: 'A channel, without its secrets.',
    addition: true,
    params: { name: ChannelName },
    result: ChannelAnswer,
    access: on('read'),
    handle: async ({ name }, { caller }) => answered(parts, await changes.channel(name), caller),
  });
  methods.add('channel_list', {
    summary: 'The channels that the caller may read, by name.',
    addition: true,
    params: {},
    result: Type.Array(ChannelAnswer),
    access: 'authenticated',
    async handle(_params, { caller }) {
      const found = [];
      for (const channel of await channels.all())
        if (await auth.allows(caller, mayDo('read', channel.name)))
          found.push(await answered(parts, channel, caller));
      return found;
    },
  });
}

function addForms(methods: Methods): void {
  methods.add('channel_kinds', {
    summary: 'The kinds of channels, with the fields of their forms.',
    addition: true,
    params: {},
    result: Type.Array(KindAnswer),
    access: 'authenticated',
    handle: () => [...KINDS.values()].map(kindAnswer),
  });
  methods.add('channel_read_url', {
    summary: 'Reads the URL of a channel as other programs write it, to fill the form.',
    addition: true,
    params: {
      url: Type.String({
        maxLength: 2_000,
        description: 'URL in the form of Apprise or Shoutrrr, or the address of a webhook.',
      }),
    },
    result: UrlAnswer,
    // It holds the secrets that the URL held.
    secret: true,
    access: 'authenticated',
    handle: ({ url }) => readChannelUrl(url),
  });
}
