/** The page's grounds in both themes; `assets/style.ts` has the same. */
const LIGHT = '#f7f7f5';
const DARK = '#101113';
const ACCENT = { light: '#2f5bd0', dark: '#7aa2ff' };
/** Least contrast of text (WCAG 2.2, 1.4.3). */
const CONTRAST = 4.5;

type Rgb = readonly [number, number, number];

const rgbOf = (color: string): Rgb => [
  Number.parseInt(color.slice(1, 3), 16),
  Number.parseInt(color.slice(3, 5), 16),
  Number.parseInt(color.slice(5, 7), 16),
];
const hex = (rgb: Rgb): string =>
  `#${rgb.map((part) => Math.round(part).toString(16).padStart(2, '0')).join('')}`;

function luminance(color: string): number {
  const [r, g, b] = rgbOf(color).map((part) => {
    const value = part / 255;
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  }) as [number, number, number];
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

/** 1 to 21 */
export function contrast(one: string, other: string): number {
  const [a, b] = [luminance(one), luminance(other)];
  return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
}

/** The colour, mixed with black or white until it can be read on this ground. */
function readable(color: string, ground: string): string {
  const target = luminance(ground) > 0.5 ? 0 : 255;
  const from = rgbOf(color);
  for (let part = 0; part <= 1; part += 0.05) {
    const mixed = hex(from.map((value) => value + (target - value) * part) as unknown as Rgb);
    if (contrast(mixed, ground) >= CONTRAST) return mixed;
  }
  return hex([target, target, target]);
}

export interface Colors {
  readonly light: string;
  readonly dark: string;
  /** Ground and text of the head. */
  readonly banner: readonly [ground: string, text: string] | undefined;
}

/** The operator's colours, changed as far as reading needs it. */
export function colorsOf(accent: string | null, banner: string | null): Colors {
  return {
    light: accent ? readable(accent, LIGHT) : ACCENT.light,
    dark: accent ? readable(accent, DARK) : ACCENT.dark,
    banner: banner
      ? [
          banner.toLowerCase(),
          contrast(banner, '#ffffff') >= contrast(banner, '#000000') ? '#ffffff' : '#000000',
        ]
      : undefined,
  };
}
