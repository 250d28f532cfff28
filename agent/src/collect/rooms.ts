import { type Clock, within } from '../clock.ts';
import { HourlyWarning } from '../hourly-warning.ts';
import { Slots } from '../limits.ts';
import type { Logger } from '../log.ts';
import type { Mount } from './mounts.ts';
import type { Asking, Question, Room } from './room.ts';

/** A local file system answers at once. One that takes longer is asked through a program from then on. */
const NEAR_LIMIT_MS = 300;
/** Threads of Node's pool, which has four, that may hang in a question. */
const MOST_STUCK = 2;
const FAR_LIMIT_MS = 3000;
/** Time that a survey waits for mounts that answered before, and for those that were never asked. */
const FAR_PATIENCE_MS = 150;
// A little less than 30 s and a minute, so that a mount is due at a survey that comes some milliseconds early.
const FAR_EVERY_MS = 29_900;
const SILENT_EVERY_MS = 59_900;
/** Programs at a time for mounts that answered the last time, and for the others. */
const ANSWERING_AT_A_TIME = 4;
const SILENT_AT_A_TIME = 2;
/** Ordinary: a file system of another user, a mount that another one hides. */
const NOT_FOR_US =
  /^Error: (EACCES|ENOENT|EPERM)|Permission denied|No such file|Operation not permitted/;

interface State {
  readonly mount: Mount;
  readonly warning: HourlyWarning;
  /** The latest answer. */
  room?: Room;
  /** A question to the kernel, or through a program, is under way. */
  waits: { kernel: boolean; program: boolean };
  /** The latest question through a program. */
  asked_at: number;
  isSilent: boolean;
}

/**
 * Room of mounts. Local ones are asked each time. A mount that may never answer is asked through a program, each half minute
 * and never twice at a time; while it is silent its last room stays, and the log says so at once and then hourly.
 */
export class Rooms {
  readonly #clock: Clock;
  readonly #log: Logger;
  readonly #asking: Asking;
  readonly #answering = new Slots(ANSWERING_AT_A_TIME);
  readonly #silent = new Slots(SILENT_AT_A_TIME);
  readonly #never = new AbortController().signal;
  #states = new Map<string, State>();
  #stuck = 0;

  constructor(clock: Clock, log: Logger, asking: Asking) {
    this.#clock = clock;
    this.#log = log;
    this.#asking = asking;
  }

  /** The latest room of each mount that has reported one. Waits 0.15 s for those that may hang, 0.3 s for a local one. */
  async of(
    mounts: readonly Mount[],
    mayHang: (mount: Mount) => boolean,
  ): Promise<Map<Mount, Room>> {
    const earlier = this.#states;
    const key = ({ device, mount_point }: Mount) => `${device} ${mount_point}`;
    this.#states = new Map(
      mounts.map((mount) => [key(mount), earlier.get(key(mount)) ?? this.#stateOf(mount)]),
    );
    const begun = this.#clock.steady();
    const far: State[] = [];
    for (const state of this.#states.values()) {
      if (this.#needsProgram(state, mayHang)) far.push(state);
      else await this.#askKernel(state);
    }
    const answers = far.filter((state) => this.#isDue(state)).map((state) => this.#askApart(state));
    const left_ms = begun + FAR_PATIENCE_MS - this.#clock.steady();
    if (left_ms > 0) await within(this.#clock, 'far mounts', left_ms, Promise.all(answers));
    return new Map(
      mounts.flatMap((mount) => {
        const room = this.#states.get(key(mount))?.room;
        return room ? [[mount, room] as const] : [];
      }),
    );
  }

  #stateOf(mount: Mount): State {
    const message = 'a mount does not answer: its last size is sent, if there is one';
    const warning = new HourlyWarning(this.#clock, this.#log, message);
    const waits = { kernel: false, program: false };
    return { mount, warning, waits, asked_at: Number.NEGATIVE_INFINITY, isSilent: false };
  }

  #needsProgram(state: State, mayHang: (mount: Mount) => boolean): boolean {
    return mayHang(state.mount) || state.waits.kernel || this.#stuck >= MOST_STUCK;
  }

  #isDue({ waits, asked_at, isSilent }: State): boolean {
    if (waits.program) return false;
    return this.#clock.steady() - asked_at >= (isSilent ? SILENT_EVERY_MS : FAR_EVERY_MS);
  }

  async #askKernel(state: State): Promise<void> {
    state.waits.kernel = true;
    this.#stuck += 1;
    const answer = this.#asking
      .kernel(state.mount.mount_point)
      .then(
        (room) => this.#heard(state, room),
        (error: unknown) => this.#missed(state, String(error)),
      )
      .finally(() => {
        this.#stuck -= 1;
        state.waits.kernel = false;
      });
    await within(this.#clock, 'statfs', NEAR_LIMIT_MS, answer);
  }

  /** Resolves with the answer. Mounts that were silent are not waited for. */
  #askApart(state: State): Promise<void> {
    const wasSilent = state.isSilent;
    state.waits.program = true;
    state.asked_at = this.#clock.steady();
    const slots = wasSilent ? this.#silent : this.#answering;
    const answer = slots.run(this.#never, async () => {
      const question = this.#asking.program(state.mount.mount_point, FAR_LIMIT_MS);
      await this.#hear(state, question);
    });
    return wasSilent ? Promise.resolve() : answer;
  }

  async #hear(state: State, { room, gone }: Question): Promise<void> {
    void gone.then(() => {
      state.waits.program = false;
    });
    await room.then(
      (found) => this.#heard(state, found),
      (error: Error) => this.#missed(state, error.message),
    );
  }

  #heard(state: State, room: Room): void {
    const { mount_point } = state.mount;
    if (state.isSilent) this.#log.info('a mount answers again', { mount_point });
    state.isSilent = false;
    state.room = room;
  }

  #missed(state: State, reason: string): void {
    state.isSilent = true;
    const { mount_point, file_system } = state.mount;
    if (!NOT_FOR_US.test(reason)) state.warning.log({ mount_point, file_system, reason });
  }
}
