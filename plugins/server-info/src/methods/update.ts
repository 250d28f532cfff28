import { type Methods, RpcError, Type } from '@svc/plugin-sdk';
import { superToken } from '../permissions.ts';

/** `self_update`: no download source exists, so a real different version has no artifact. */
export function addUpdateMethod(methods: Methods, version: string): void {
  methods.add('svc-server_self_update', {
    summary:
      'Installs another version. This server has no download source; its package manager updates it.',
    params: { tag: Type.String({ description: '`vX.Y.Z`; anything else does nothing.' }) },
    result: Type.Null(),
    audit: ({ tag }) => tag,
    access: superToken,
    malformed: (reason) => RpcError.parse(reason),
    handle({ tag }) {
      if (isOtherVersion(tag, version))
        throw RpcError.other(`Failed to get download URL for tag: ${tag}`);
      return null;
    },
  });
}

/** Tells whether the tag is `v` and three integers, and names a version other than the running one. */
function isOtherVersion(tag: string, running: string): boolean {
  const wanted = tag.startsWith('v') ? plainVersion(tag.slice(1)) : undefined;
  const present = plainVersion(running);
  return wanted !== undefined && present !== undefined && wanted !== present;
}

const UINT64_MAX = 2n ** 64n - 1n;

/** Three unsigned integers of 64 bits, without leading zeros: `00.06.1` is `0.6.1`. Undefined for any other text. */
function plainVersion(text: string): string | undefined {
  const found = /^0*(?!0\d)(\d{1,20})\.0*(?!0\d)(\d{1,20})\.0*(?!0\d)(\d{1,20})$/.exec(text);
  const numbers = found?.slice(1).map(BigInt);
  return numbers?.every((number) => number <= UINT64_MAX) ? numbers.join('.') : undefined;
}
