import { Type } from '@svc/plugin-sdk';
import type { TObject } from 'typebox';

const text = Type.String();
const texts = Type.Array(text);
const count = Type.Integer();

/**
 * Keys above the tables that built-in plugins claim, by what they hold. None is a secret, so a log shows them also while their plugin
 * is off, and no plugin is loaded for that.
 */
export const CLAIMED: TObject = Type.Object({
  static_path: text,
  db_path: text,
  content_hosts: texts,
  trusted_proxies: texts,
  allowed_hosts: texts,
  allowed_origins: texts,
  allowed_paths: texts,
  public_discovery: Type.Boolean(),
  hsts_seconds: count,
  monitoring_buffer: Type.Object({
    flush_interval_ms: count,
    max_batch_size: count,
    channel_capacity: count,
  }),
});
