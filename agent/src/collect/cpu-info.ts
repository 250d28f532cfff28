import type { Inventory } from '../reports.ts';
import { armProcessor } from './arm-processors.ts';
import { counter } from './numbers.ts';

/** One block of `/proc/cpuinfo`; names in lower case, as the architectures write the same ones differently. */
type Block = ReadonlyMap<string, string>;

/** One logical core. `block` describes it, `common` the whole machine. */
interface Core {
  number: number;
  block: Block;
  common: Block;
}

function blocksOf(text: string): Block[] {
  return text.split(/\n\s*\n/).map((block) => {
    const pairs = block.split('\n').flatMap((line): [string, string][] => {
      const colon = line.indexOf(':');
      if (colon < 0) return [];
      return [[line.slice(0, colon).trim().toLowerCase(), line.slice(colon + 1).trim()]];
    });
    return new Map(pairs);
  });
}

/** The logical cores: a block `processor` each, on s390x a line `processor N` each and next to it a block `cpu number`. */
function coresIn(text: string): Core[] {
  const blocks = blocksOf(text);
  const common = new Map(blocks.filter((block) => !block.has('processor')).flatMap((b) => [...b]));
  const own = blocks.filter((block) => /^\d+$/.test(block.get('processor') ?? ''));
  if (own.length > 0) {
    return own.map((block) => ({ number: counter(block.get('processor')), block, common }));
  }
  const numbered = blocks.filter((block) => block.has('cpu number'));
  return [...text.matchAll(/^processor (\d+)\s*:/gm)].map(([, digits]) => {
    const number = counter(digits);
    const block = numbered.find((one) => one.get('cpu number') === digits) ?? new Map();
    return { number, block, common };
  });
}

/** The first of these that there is, of the core or of the machine. */
const fieldOf = ({ block, common }: Core, ...names: string[]): string | undefined => {
  for (const name of names) {
    const value = block.get(name) || common.get(name);
    if (value) return value;
  }
  return undefined;
};

/** MHz by core number; empty where `/proc/cpuinfo` holds none, as on Arm. */
export function parseFrequencies(text: string): Map<number, number> {
  const mhz = new Map<number, number>();
  for (const core of coresIn(text)) {
    const value = fieldOf(core, 'cpu mhz', 'cpu mhz dynamic', 'clock');
    if (value) mhz.set(core.number, Math.round(Number.parseFloat(value)) || 0);
  }
  return mhz;
}

function nameOf(core: Core): { vendor_id: string; brand: string } {
  const implementer = fieldOf(core, 'cpu implementer');
  const arm = implementer && armProcessor(implementer, fieldOf(core, 'cpu part') ?? '');
  const machine = /machine = (\w+)/.exec(fieldOf(core, `processor ${core.number}`) ?? '')?.[1];
  return {
    vendor_id: fieldOf(core, 'vendor_id') ?? (arm ? arm.maker : ''),
    // x86 and LoongArch, POWER, MIPS, RISC-V; Arm; s390x; and what tells no more than the family or the instructions.
    brand:
      fieldOf(core, 'model name', 'cpu', 'cpu model', 'uarch') ??
      (arm ? arm.name : undefined) ??
      (machine && `IBM/S390 machine ${machine}`) ??
      fieldOf(core, 'cpu family', 'isa', 'hardware') ??
      '',
  };
}

/** Other sources of cores: the numbers in `/proc/stat`, and each core's list of threads (`thread_siblings_list` in `/sys`). */
export interface OtherCores {
  numbers: readonly number[];
  siblings: readonly string[];
}

/** The `cpu` part of a static report; `physical_cores` is 0 where nothing tells it. */
export function cpuInventory(
  text: string,
  { numbers, siblings }: OtherCores = { numbers: [], siblings: [] },
): Inventory['cpu'] {
  const found = coresIn(text);
  const none: Block = new Map();
  const cores =
    found.length > 0
      ? found
      : numbers.map((number) => ({ number, block: none, common: blocksOf(text)[0] ?? none }));
  const physical = new Set(
    cores.flatMap((core) => {
      const id = fieldOf(core, 'core id', 'core');
      return id === undefined ? [] : [`${fieldOf(core, 'physical id', 'package') ?? '0'}/${id}`];
    }),
  );
  return {
    physical_cores: physical.size || new Set(siblings.filter(Boolean)).size,
    logical_cores: cores.length,
    per_core: cores.map((core) => ({
      id: core.number + 1,
      name: `cpu${core.number}`,
      ...nameOf(core),
    })),
  };
}
