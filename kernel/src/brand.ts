import type { Brand } from '@svc/plugin-sdk';
import type { BrandConfig } from './head.ts';

/** The neutral word in a namespace, in a route's first segment, and in the KV marker. */
const NAMESPACE = /(?<![\w-])svc-server(?![A-Za-z0-9-])/g;
const ROUTE = /(?<![^\s"'`(=])\/svc(?=\/|$|[\s"'`),])/g;
const MARKER = /(?<!\w)__svc_namespace_marker__(?!\w)/g;
/** Script globals, and the log target: whole texts only, the word is too short to look for elsewhere. */
const GLOBAL = /^svc(?=$|Log$)/;

/** The brand record, the only place that knows how the neutral word is rewritten (configuration.md §10). */
export function makeBrand(config: BrandConfig): Brand {
  const { word, permission, salt, title, peer_header } = config;
  const rewrite =
    word === 'svc'
      ? (text: string) => text
      : (text: string) =>
          text
            .replace(NAMESPACE, `${word}-server`)
            .replace(ROUTE, `/${word}`)
            .replace(MARKER, `__${word}_namespace_marker__`)
            .replace(GLOBAL, word);
  return { word, permission, salt, title, peer_header, rewrite };
}
