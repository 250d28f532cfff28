import { type Clock, type Counting, type Database, Type, topic } from '@svc/plugin-sdk';
import { SerialQueue } from '@svc/plugin-sdk/util';
import { Policies } from './policies/policies.ts';
import { PolicyStore } from './policies/store.ts';
import { Silences } from './silences/silences.ts';
import { SilenceStore } from './silences/store.ts';
import { WindowStore } from './windows/store.ts';
import { type MayShow, Windows } from './windows/windows.ts';

/** Silences, windows or policies were changed. */
export const SettingsChanged = topic('alert.settings', Type.Object({ what: Type.String() }));

export interface SettingsNeeds {
  readonly counting: Counting;
  readonly mayShow: MayShow;
}

/** Silences, windows and policies: the tables, and their copies in memory. */
export class Settings {
  readonly silenceStore: SilenceStore;
  readonly windowStore: WindowStore;
  readonly policyStore: PolicyStore;
  readonly silences: Silences;
  readonly windows: Windows;
  readonly policies: Policies;
  readonly #clock: Clock;
  readonly #queue = new SerialQueue();

  constructor(db: Database, clock: Clock, { counting, mayShow }: SettingsNeeds) {
    this.#clock = clock;
    this.silenceStore = new SilenceStore(db, counting);
    this.windowStore = new WindowStore(db, counting);
    this.policyStore = new PolicyStore(db, counting);
    this.silences = new Silences(this.silenceStore);
    this.windows = new Windows(this.windowStore, mayShow);
    this.policies = new Policies(this.policyStore);
  }

  /** Makes what the first start needs, and reads everything. @throws RpcError 103 */
  async prepare(): Promise<void> {
    await this.policies.makeDefault(this.#clock.now());
    await this.reload();
  }

  /** Reads the tables again, one reading after the other. @throws RpcError 103 */
  reload(): Promise<void> {
    return this.#queue.run(async () => {
      await this.silences.reload(this.#clock.now());
      await this.windows.reload(this.#clock.now());
      await this.policies.reload();
    });
  }
}
