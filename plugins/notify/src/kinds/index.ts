import { mattermost, rocketchat, slack } from './attachments.ts';
import { discord } from './discord.ts';
import { googlechat } from './google-chat.ts';
import { matrix } from './matrix.ts';
import { pagerduty } from './pagerduty.ts';
import { bark, gotify, ntfy } from './push.ts';
import { pushover } from './pushover.ts';
import { dingtalk, feishu } from './robots.ts';
import { smtp } from './smtp.ts';
import { teams } from './teams.ts';
import { telegram } from './telegram.ts';
import type { Kind } from './types.ts';
import { webpush } from './web-push.ts';
import { webhook } from './webhook/index.ts';
import { pushplus, serverchan, wecom } from './wechat.ts';
import { worker } from './worker.ts';

export { render } from '../words/render.ts';
export { checkValues } from './check.ts';
export { newVapid } from './encryption.ts';
export { isAddress, mailOf, PORTS } from './smtp.ts';
export type {
  Answer,
  Context,
  Field,
  HttpRequest,
  Kind,
  Language,
  Rendered,
  Values,
} from './types.ts';
export { bodyOf } from './webhook/body.ts';

const all: readonly Kind[] = [
  smtp,
  webhook,
  telegram,
  discord,
  slack,
  mattermost,
  rocketchat,
  teams,
  googlechat,
  matrix,
  ntfy,
  gotify,
  pushover,
  bark,
  serverchan,
  pushplus,
  wecom,
  feishu,
  dingtalk,
  pagerduty,
  webpush,
  worker,
];

/** Kinds of channels, in the order in which forms list them. */
export const KINDS: ReadonlyMap<string, Kind> = new Map(all.map((kind) => [kind.kind, kind]));
