import type { Kernel, Logger } from '@svc/plugin-sdk';
import type { Secret } from '../login/secret.ts';
import type { Refresh } from '../records/refresh.ts';
import type { TokenStore } from '../records/store.ts';
import { isOlder } from '../records/versions.ts';
import { changeOfForm, type SlowHasher } from './slow-hash.ts';

/** So many looks in a row, a second apart, must find no older server: each says every second that it is there. */
const LOOKS = 3;
/** Passwords that wait for that. */
const WAITING = 1_000;

interface UpgradeParts {
  readonly kernel: Pick<Kernel, 'db' | 'bus' | 'server'>;
  readonly store: TokenStore;
  readonly refresh: Refresh;
  readonly hasher: SlowHasher;
  readonly log: Logger;
  /** `[token] password_kdf = "scrypt"` */
  readonly isWanted: () => boolean;
}

/**
 * Replaces plain password hashes by slow ones after a login, as soon as no server of an older version is on the database
 * (auth.md §2): that one may read other forms of a password, and would end the session. Sessions here go on.
 */
export class PasswordUpgrade {
  readonly #parts: UpgradeParts;
  /** Their new hash is there, and not stored yet. */
  readonly #waiting = new Set<Secret>();
  #looks = 0;

  constructor(parts: UpgradeParts) {
    this.#parts = parts;
  }

  /** The password of a plain hash was just found right. It is hashed now, so that its clear text is kept nowhere. */
  offer(secret: Secret, password: string): void {
    const { hasher, isWanted } = this.#parts;
    if (!isWanted() || hasher.full || secret.becoming !== undefined) return;
    this.#tried(secret, async () => {
      secret.becoming ??= await hasher.make(password);
      // The others are offered again after a start.
      if (this.#waiting.size < WAITING) this.#waiting.add(secret);
      await this.#apply();
    });
  }

  /** To be called each second: looks for older servers. */
  async look(): Promise<void> {
    const { bus, server } = this.#parts.kernel;
    const isAlone =
      bus.connected() && bus.servers().every(({ version }) => !isOlder(version, server.version));
    this.#looks = isAlone ? this.#looks + 1 : 0;
    await this.#apply();
  }

  async #apply(): Promise<void> {
    const { kernel, isWanted } = this.#parts;
    if ((kernel.db.severalServers && this.#looks < LOOKS) || !isWanted()) return;
    for (const secret of [...this.#waiting]) {
      this.#waiting.delete(secret);
      this.#tried(secret, () => this.#store(secret));
    }
  }

  async #store(secret: Secret): Promise<void> {
    const { token, stored, becoming, live } = secret;
    const { store, refresh } = this.#parts;
    const { id } = token;
    if (!live || becoming === undefined) return;
    if (await store.upgradePassword(id, stored, becoming)) {
      await refresh.changed({ id, samePassword: changeOfForm(stored, becoming) });
    }
  }

  #tried({ token: { id } }: Secret, work: () => Promise<void>): void {
    work().catch((error) =>
      this.#parts.log.warn('a password hash could not be upgraded', { id, error }),
    );
  }
}
