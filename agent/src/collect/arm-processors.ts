/** Numbers of the register MIDR_EL1, as Arm and the makers publish them: `CPU implementer` and `CPU part` of `/proc/cpuinfo`. */
const MAKERS: Readonly<Record<string, string>> = {
  '0x41': 'ARM',
  '0x42': 'Broadcom',
  '0x43': 'Cavium',
  '0x44': 'DEC',
  '0x46': 'FUJITSU',
  '0x48': 'HiSilicon',
  '0x49': 'Infineon',
  '0x4d': 'Motorola/Freescale',
  '0x4e': 'NVIDIA',
  '0x50': 'APM',
  '0x51': 'Qualcomm',
  '0x53': 'Samsung',
  '0x56': 'Marvell',
  '0x61': 'Apple',
  '0x66': 'Faraday',
  '0x69': 'Intel',
  '0x6d': 'Microsoft',
  '0x70': 'Phytium',
  '0xc0': 'Ampere',
};

/** `maker part`, hexadecimal without `0x`, and the name. */
const PARTS = new Map(
  `41 b76 ARM1176|41 c05 Cortex-A5|41 c07 Cortex-A7|41 c08 Cortex-A8|41 c09 Cortex-A9|41 c0d Cortex-A12
41 c0e Cortex-A17|41 c0f Cortex-A15|41 d01 Cortex-A32|41 d02 Cortex-A34|41 d03 Cortex-A53|41 d04 Cortex-A35
41 d05 Cortex-A55|41 d06 Cortex-A65|41 d07 Cortex-A57|41 d08 Cortex-A72|41 d09 Cortex-A73|41 d0a Cortex-A75
41 d0b Cortex-A76|41 d0c Neoverse-N1|41 d0d Cortex-A77|41 d0e Cortex-A76AE|41 d40 Neoverse-V1|41 d41 Cortex-A78
41 d42 Cortex-A78AE|41 d43 Cortex-A65AE|41 d44 Cortex-X1|41 d46 Cortex-A510|41 d47 Cortex-A710|41 d48 Cortex-X2
41 d49 Neoverse-N2|41 d4a Neoverse-E1|41 d4b Cortex-A78C|41 d4c Cortex-X1C|41 d4d Cortex-A715|41 d4e Cortex-X3
41 d4f Neoverse-V2|41 d80 Cortex-A520|41 d81 Cortex-A720|41 d82 Cortex-X4|41 d84 Neoverse-V3|41 d85 Cortex-X925
41 d87 Cortex-A725|41 d8e Neoverse-N3|42 516 ThunderX2|43 0a1 ThunderX|43 0af ThunderX2|43 0b8 ThunderX3
46 001 A64FX|48 d01 TaiShan-v110|48 d02 TaiShan-v120|4e 003 Denver 2|4e 004 Carmel|50 000 X-Gene|51 001 Oryon
51 c00 Falkor|61 022 Icestorm-M1|61 023 Firestorm-M1|61 032 Blizzard-M2|61 033 Avalanche-M2|6d d49 Azure Cobalt 100
70 660 FTC660|70 661 FTC661|70 662 FTC662|70 663 FTC663|c0 ac3 Ampere-1|c0 ac4 Ampere-1a`
    .split(/[|\n]/)
    .map((line): [string, string] => [line.slice(0, 6), line.slice(7)]),
);

/** Maker and name of an Arm processor; a number where the name is not known. */
export function armProcessor(implementer: string, part: string): { maker: string; name: string } {
  const maker = MAKERS[implementer.toLowerCase()] ?? `implementer ${implementer}`;
  const key = `${implementer.slice(2)} ${part.slice(2)}`.toLowerCase();
  return { maker, name: PARTS.get(key) ?? `${maker} ${part}`.trim() };
}
