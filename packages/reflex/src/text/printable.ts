const CONTROLS = /[\u0000-\u001f\u007f-\u009f\u200b\u200e\u200f\u2028-\u202e\u2060\u2066-\u2069\ufeff]|\p{Surrogate}/gu

/**
 * Makes a text harmless for a terminal: it cannot move the cursor, change a colour or reorder a line.
 *
 * Control characters, also tabs and line ends, become their pictures (`ESC` becomes `␛`). Direction marks, invisible spaces, line
 * separators and lone surrogates become `�`.
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
/** Names that are quoted without escapes. */
const PLAIN_NAME = /^[ !#-[\]-~]*$/

/** Returns a name in double quotes, harmless for a terminal. A name longer than 200 characters is cut in the middle. */
export function quote(name: string): string {
  if (name.length <= LONGEST_NAME && PLAIN_NAME.test(name)) return `"${name}"`
  const cut = name.length > LONGEST_NAME ? `${name.slice(0, LONGEST_NAME / 2)}…${name.slice(-LONGEST_NAME / 2)}` : name
  return printable(JSON.stringify(cut))
}

/** Returns names in quotes, separated by commas. Names beyond `limit` are only counted. */
export function quoteAll(names: readonly string[], limit = 8): string {
  const shown = names.slice(0, limit).map(quote).join(', ')
  return names.length > limit ? `${shown} and ${names.length - limit} more` : shown
}
