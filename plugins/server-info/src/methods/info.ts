import { type Methods, Type } from '@svc/plugin-sdk';
import { RawJson } from '@svc/plugin-sdk/json';
import type { ServerState } from '@svc/plugin-sdk/kernel';
import { Version } from '../schemas.ts';

/** `hello`, `version` and `uuid`: public, answered from memory. */
export function addInfoMethods(
  methods: Methods,
  server: ServerState,
  title: string,
  version: Version,
): void {
  // Front ends call this every 30 s as a heartbeat: nothing is built per call.
  const hello = new RawJson(JSON.stringify(`${title} Server Is Running!`));

  methods.add('svc-server_hello', {
    summary: 'Heartbeat: a fixed text.',
    params: {},
    result: Type.String(),
    access: 'public',
    handle: () => hello,
  });

  methods.add('svc-server_version', {
    summary: 'Product version, source state and platform.',
    params: {},
    result: Version,
    access: 'public',
    handle: () => version,
  });

  methods.add('svc-server_uuid', {
    summary: 'The UUID of this server.',
    params: {},
    result: Type.String(),
    access: 'public',
    handle: () => server.uuid(),
  });
}
