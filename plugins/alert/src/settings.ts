import { type Clock, type Counting, type Database, Type, topic } from '@svc/plugin-sdk';
import { SerialQueue } from '@svc/plugin-sdk/util';
import type { Dependents } from '@svc/plugin-token/api';
import { Policies } from './policies/policies.ts';
import { HELD_POLICIES, PolicyStore } from './policies/store.ts';
import { type IsSuspended, Silences } from './silences/silences.ts';
import { HELD_SILENCES, SilenceStore } from './silences/store.ts';
import { HELD_WINDOWS, WindowStore } from './windows/store.ts';
import { type MayShow, Windows } from './windows/windows.ts';

/** Silences, windows or policies were changed. */
export const SettingsChanged = topic('alert.settings', Type.Object({ what: Type.String() }));

export interface SettingsNeeds {
  readonly counting: Counting;
  readonly mayShow: MayShow;
  readonly isSuspended: IsSuspended;
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

  constructor(db: Database, clock: Clock, { counting, ...rights }: SettingsNeeds) {
    this.#clock = clock;
    this.silenceStore = new SilenceStore(db, counting);
    this.windowStore = new WindowStore(db, counting);
    this.policyStore = new PolicyStore(db, counting);
    this.silences = new Silences(this.silenceStore, rights.isSuspended);
    this.windows = new Windows(this.windowStore, rights);
    this.policies = new Policies(this.policyStore);
  }

  /** Tells whether tokens wrote some that are in force, whose rights have to be asked again. */
  get haveOwners(): boolean {
    return this.silences.haveOwners || this.windows.haveOwners;
  }

  /** Rows that hang on tokens. @param readAgain has what is suspended noticed at once */
  dependents(readAgain: () => Promise<void>): readonly Dependents[] {
    const now = () => this.#clock.now();
    return [
      {
        kind: HELD_SILENCES,
        list: (owner) => this.silenceStore.ownedBy(owner, now()),
        suspend: readAgain,
      },
      { kind: HELD_WINDOWS, list: (owner) => this.windowStore.ownedBy(owner), suspend: readAgain },
      { kind: HELD_POLICIES, list: (owner) => this.policyStore.ownedBy(owner) },
    ];
  }

  /** Makes what the first start needs, and reads everything. @throws RpcError 103 */
  async prepare(): Promise<void> {
    await this.reload();
    await this.policies.makeDefault(this.#clock.now());
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
