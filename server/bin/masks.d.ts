export declare function unmask(bytes: Uint8Array, mask: Uint8Array): void;
export declare function mask(
  source: Uint8Array,
  key: Uint8Array,
  output: Uint8Array,
  offset: number,
  length: number,
): void;
export declare function quickMasks(): void;
