import { RpcError } from '@svc/plugin-sdk';
import type { Origin } from '@svc/plugin-sdk/http';
import type { Reading } from '@svc/plugin-sdk/kernel';
import type { KernelHooks } from '../hooks.ts';
import { type Access, ask } from './access.ts';
import type { Registered, Registry } from './registry.ts';

type Parts = { readonly access: Access; readonly hooks: KernelHooks; readonly registry: Registry };
type Failure = (method: Registered, thrown: unknown) => RpcError;

/** Asks the hook `message`. @param failure makes the error that a caller of the method gets */
export const reader =
  ({ access, hooks, registry }: Parts, failure: Failure) =>
  async (bytes: Buffer, origin: Origin): Promise<Reading | undefined> => {
    const methodOf = (name: string): Registered => {
      const method = registry.methods.get(name);
      if (!method) throw new RpcError(-32601, 'Method not found');
      return method;
    };
    const authenticate = async (name: string, credential: string) => {
      try {
        await access.identify(methodOf(name), credential, origin);
      } catch (thrown) {
        throw failure(methodOf(name), thrown);
      }
    };
    const credentialOf = (name: string) => methodOf(name).credential;
    const paramsOf = (name: string) => registry.methods.get(name)?.definition.params;
    const incoming = { bytes, origin, credentialOf, paramsOf, authenticate };
    return ask<Reading | undefined>((done) => hooks.message.callAsync(incoming, done));
  };
