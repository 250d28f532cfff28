const blank = /\p{White_Space}/u;

/** A text without the white space around it, as Unicode defines it: U+0085 is blank and U+FEFF is not, the other way round than for `String.trim`. */
export function trim(text: string): string {
  let [start, end] = [0, text.length];
  while (start < end && blank.test(text.charAt(start))) start++;
  while (end > start && blank.test(text.charAt(end - 1))) end--;
  return text.slice(start, end);
}
