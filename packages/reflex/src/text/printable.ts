const CONTROLS = /[\u0000-\u001f\u007f-\u009f\u200b\u200e\u200f\u2028-\u202e\u2060\u2066-\u2069\ufeff]|\p{Surrogate}/gu

/**
 * Text that cannot move a cursor, change a colour or reorder a line.
 *
 * Control characters become their pictures (`ESC` becomes `␛`); direction marks, invisible spaces,
 * line separators and lone surrogates become `�`. Tabs and line ends are control characters too.
 */
export function printable(text: string): string {
  return text.replace(CONTROLS, picture)
}

function picture(control: string): string {
  const code = control.charCodeAt(0)
  if (code < 0x20) return String.fromCharCode(0x2400 + code)
  return code === 0x7f ? '\u2421' : '\ufffd'
}

const LONGEST_NAME = 200
/** Names that stand in quotes as they are. */
const PLAIN_NAME = /^[ !#-[\]-~]*$/

/** A name of somebody's program in double quotes, harmless; a name that nobody can read is cut in its middle. */
export function quote(name: string): string {
  if (name.length <= LONGEST_NAME && PLAIN_NAME.test(name)) return `"${name}"`
  const cut = name.length > LONGEST_NAME ? `${name.slice(0, LONGEST_NAME / 2)}…${name.slice(-LONGEST_NAME / 2)}` : name
  return printable(JSON.stringify(cut))
}

/** Names in quotes, parted by commas; those over `limit` are only counted. */
export function quoteAll(names: readonly string[], limit = 8): string {
  const shown = names.slice(0, limit).map(quote).join(', ')
  return names.length > limit ? `${shown} and ${names.length - limit} more` : shown
}
