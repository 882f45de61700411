// The engine's places count bytes of UTF-8, the editor's count UTF-16 units.

/** How far into a line (in UTF-16 units) the 1-based byte column `column` is; at most the line's length. */
export function unitsBefore(line: string, column: number): number {
  let bytes = 1;
  let units = 0;
  for (const character of line) {
    if (bytes >= column) break;
    const code = character.codePointAt(0)!;
    bytes += code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    units += character.length;
  }
  return units;
}
