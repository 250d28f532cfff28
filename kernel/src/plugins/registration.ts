interface Tap<R> {
  readonly stage: number;
  readonly run: (registry: R) => unknown;
}

/** Hook that runs once, after every setup: each plugin registers through a registry of its own, so that every entry knows its owner. */
export class Registration<R> {
  readonly #taps = new Map<string, Tap<R>[]>();

  tap({ name, stage }: { name: string; stage: number }, run: Tap<R>['run']): void {
    const taps = this.#taps.get(name) ?? [];
    this.#taps.set(
      name,
      [...taps, { stage, run }].sort((a, b) => a.stage - b.stage),
    );
  }

  /** Calls the taps, plugin by plugin in the order of their setup, and returns what they returned. */
  run(registryOf: (plugin: string) => R): { readonly plugin: string; readonly result: unknown }[] {
    return [...this.#taps].flatMap(([plugin, taps]) => {
      const registry = registryOf(plugin);
      return taps.map(({ run }) => ({ plugin, result: run(registry) }));
    });
  }
}
