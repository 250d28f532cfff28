import { type Methods, RpcError, Type } from '@svc/plugin-sdk';
import { superToken } from '../permissions.ts';

/** `self_update`: no download source exists, so a real different version has no artifact. */
export function addUpdateMethod(methods: Methods, version: string): void {
  methods.add('svc-server_self_update', {
    summary:
      'Installs another version. This server has no download source; its package manager updates it.',
    params: { tag: Type.String({ description: '`vX.Y.Z`; anything else does nothing.' }) },
    result: Type.Null(),
    access: superToken,
    malformed: (reason) => RpcError.parse(reason),
    handle({ tag }) {
      if (isOtherVersion(tag, version))
        throw RpcError.other(`Failed to get download URL for tag: ${tag}`);
      return null;
    },
  });
}

/** True when the tag is `v` and three integers, and names a version other than the running one. */
function isOtherVersion(tag: string, running: string): boolean {
  const wanted = /^v(\d+\.\d+\.\d+)$/.exec(tag)?.[1];
  const comparable = /^\d+\.\d+\.\d+$/.test(running);
  return wanted !== undefined && comparable && plainNumbers(wanted) !== plainNumbers(running);
}

/** Without leading zeros: `00.06.1` is `0.6.1`. */
const plainNumbers = (version: string) => version.replace(/\b0+(?=\d)/g, '');
