/** A TrueType font with one glyph, as small as browsers accept it: table by table (OpenType specification). */

const u16 = (...values: number[]) => {
  const bytes = Buffer.alloc(values.length * 2);
  for (const [index, value] of values.entries()) bytes.writeUInt16BE(value & 0xffff, index * 2);
  return bytes;
};
const u32 = (...values: number[]) => {
  const bytes = Buffer.alloc(values.length * 4);
  for (const [index, value] of values.entries()) bytes.writeUInt32BE(value >>> 0, index * 4);
  return bytes;
};
const join = (...parts: Buffer[]) => Buffer.concat(parts);
const UNITS = 1000;

/** A square: one contour of four points. */
const glyph = join(
  u16(1, 0, 0, UNITS, UNITS),
  u16(3, 0),
  Buffer.from([1, 1, 1, 1]),
  u16(0, UNITS, 0, -UNITS),
  u16(0, 0, UNITS, 0),
);

/** Format 4: code 65 is glyph 1, then the closing segment. */
const segments = join(u16(65, 0xffff), u16(0), u16(65, 0xffff), u16(1 - 65, 1), u16(0, 0));
const cmap = join(u16(0, 1, 3, 1), u32(12), u16(4, 14 + segments.length, 0, 4, 4, 1, 0), segments);

const nameText = Buffer.from('Square', 'utf16le').swap16();
const name = join(
  u16(0, 4, 6 + 4 * 12),
  ...[1, 2, 4, 6].map((id) => u16(3, 1, 0x409, id, nameText.length, 0)),
  nameText,
);

const os2 = join(
  u16(4, UNITS, 400, 5, 0, 650, 700, 0, 140, 650, 700, 0, 480, 50, 260, 0),
  Buffer.alloc(10),
  u32(1, 0, 0, 0),
  Buffer.from('NONE'),
  u16(0x40, 65, 65, 800, -200, 200, 800, 200),
  u32(1, 0),
  u16(500, 700, 0, 32, 1),
);

const tables: [tag: string, bytes: Buffer][] = [
  ['OS/2', os2],
  ['cmap', cmap],
  ['glyf', join(glyph, glyph)],
  [
    'head',
    join(
      u32(0x10000, 0x10000, 0, 0x5f0f3cf5),
      u16(3, UNITS),
      u32(0, 0, 0, 0),
      u16(0, 0, UNITS, UNITS, 0, 8, 2, 1, 0),
    ),
  ],
  ['hhea', join(u32(0x10000), u16(800, -200, 0, UNITS, 0, 0, UNITS, 1, 0, 0, 0, 0, 0, 0, 0, 2))],
  ['hmtx', u16(UNITS, 0, UNITS, 0)],
  ['loca', u32(0, glyph.length, 2 * glyph.length)],
  ['maxp', join(u32(0x10000), u16(2, 4, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0))],
  ['name', name],
  ['post', join(u32(0x30000, 0), u16(-100, 50), u32(0, 0, 0, 0, 0))],
];

const padded = (bytes: Buffer) => join(bytes, Buffer.alloc((4 - (bytes.length % 4)) % 4));

function checksum(bytes: Buffer): number {
  let sum = 0;
  const whole = padded(bytes);
  for (let at = 0; at < whole.length; at += 4) sum = (sum + whole.readUInt32BE(at)) >>> 0;
  return sum;
}

/** The font file: letter A is a square as wide as the font is high. */
export function squareFont(): Buffer {
  let offset = 12 + 16 * tables.length;
  const directory: Buffer[] = [];
  for (const [tag, bytes] of tables) {
    directory.push(Buffer.from(tag), u32(checksum(bytes), offset, bytes.length));
    offset += padded(bytes).length;
  }
  const search = 2 ** Math.floor(Math.log2(tables.length));
  const head = join(
    u32(0x10000),
    u16(tables.length, search * 16, Math.log2(search), (tables.length - search) * 16),
  );
  const font = join(head, ...directory, ...tables.map(([, bytes]) => padded(bytes)));
  const at = font.indexOf(u32(0x5f0f3cf5)) - 4;
  font.writeUInt32BE((0xb1b0afba - checksum(font)) >>> 0, at);
  return font;
}
