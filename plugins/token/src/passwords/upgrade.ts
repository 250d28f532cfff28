import type { Kernel, Logger } from '@svc/plugin-sdk';
import type { Secret } from '../login/secret.ts';
import type { Refresh } from '../records/refresh.ts';
import type { TokenStore } from '../records/store.ts';
import { isOlder } from '../records/versions.ts';
import { formChangeDigest, type SlowHasher } from './slow-hash.ts';

/** Polls in a row, a second apart, that must find no older server: each announces itself every second. */
const REQUIRED_POLLS = 3;
/** Most passwords that wait for that. */
const MAX_WAITING = 1_000;

interface UpgradeDependencies {
  readonly kernel: Pick<Kernel, 'db' | 'bus' | 'server'>;
  readonly store: TokenStore;
  readonly refresh: Refresh;
  readonly hasher: SlowHasher;
  readonly log: Logger;
  /** `[token] password_kdf = "scrypt"` */
  readonly isEnabled: () => boolean;
}

/**
 * Replaces plain password hashes by slow ones after a login, as soon as no server of an older version is on the database
 * (auth.md §2): that one may read other forms of a password, and would end the session. Sessions here go on.
 */
export class PasswordUpgrade {
  readonly #deps: UpgradeDependencies;
  /** Passwords whose new hash is not stored yet. */
  readonly #waiting = new Set<Secret>();
  #pollsAlone = 0;

  constructor(deps: UpgradeDependencies) {
    this.#deps = deps;
  }

  /** Schedules the upgrade of a verified password. It is hashed now, so that its clear text is not retained. */
  schedule(secret: Secret, password: string): void {
    const { hasher, isEnabled } = this.#deps;
    if (!isEnabled() || hasher.isFull || secret.replacement !== undefined) return;
    this.#runLogged(secret, async () => {
      secret.replacement ??= await hasher.hash(password);
      // Others are scheduled again by a login after the next start.
      if (this.#waiting.size < MAX_WAITING) this.#waiting.add(secret);
      await this.#apply();
    });
  }

  /** Looks for older servers; to be called each second. */
  async pollServers(): Promise<void> {
    const { bus, server } = this.#deps.kernel;
    const isAlone =
      bus.connected() && bus.servers().every(({ version }) => !isOlder(version, server.version));
    this.#pollsAlone = isAlone ? this.#pollsAlone + 1 : 0;
    await this.#apply();
  }

  async #apply(): Promise<void> {
    const { kernel, isEnabled } = this.#deps;
    if ((kernel.db.severalServers && this.#pollsAlone < REQUIRED_POLLS) || !isEnabled()) return;
    for (const secret of [...this.#waiting]) {
      this.#waiting.delete(secret);
      this.#runLogged(secret, () => this.#store(secret));
    }
  }

  async #store(secret: Secret): Promise<void> {
    const { token, stored, replacement, live } = secret;
    const { store, refresh } = this.#deps;
    const { id } = token;
    if (!live || replacement === undefined) return;
    if (await store.upgradePassword(id, stored, replacement)) {
      await refresh.changed({ id, samePassword: formChangeDigest(stored, replacement) });
    }
  }

  #runLogged({ token: { id } }: Secret, work: () => Promise<void>): void {
    work().catch((error) =>
      this.#deps.log.warn('a password hash could not be upgraded', { id, error }),
    );
  }
}
