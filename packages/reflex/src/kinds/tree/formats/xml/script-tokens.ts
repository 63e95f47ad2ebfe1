/** A token of the scripting language of BehaviorTree.CPP, with its span in UTF-16 units. */
export interface ScriptToken {
  readonly type: 'number' | 'string' | 'name' | 'symbol' | 'end'
  readonly text: string
  readonly offset: number
}

/** A script that cannot be read, or that says what Lua expressions do not have. */
export class ScriptMistake extends Error {
  readonly offset: number
  readonly length: number
  readonly fix: string | undefined

  constructor(message: string, { offset, text }: ScriptToken, fix?: string) {
    super(message)
    this.offset = offset
    this.length = Math.max(1, text.length)
    this.fix = fix
  }
}

const TOKEN =
  /\s*(?:(?<number>0[xX][0-9a-fA-F]+|\d+(?:\.\d+)?(?:[eE][-+]?\d+)?)|'(?<string>[^']*)'|(?<name>@?[\p{L}_][\p{L}\p{N}_]*)|(?<symbol>:=|==|!=|<=|>=|&&|\|\||\+=|-=|\*=|\/=|\.\.|[-+*/()<>?:;=!&|^~]))/uy

/** Returns the tokens of a script, the last of which is its end. Throws a ScriptMistake. */
export function scriptTokens(text: string): ScriptToken[] {
  const tokens: ScriptToken[] = []
  let at = 0
  for (;;) {
    TOKEN.lastIndex = at
    const match = TOKEN.exec(text)
    if (match === null) break
    const { number, string, name, symbol } = match.groups ?? {}
    const raw = number ?? name ?? symbol ?? `'${string ?? ''}'`
    const offset = TOKEN.lastIndex - raw.length
    if (string !== undefined) tokens.push({ type: 'string', text: string, offset })
    else tokens.push({ type: number === undefined ? (name === undefined ? 'symbol' : 'name') : 'number', text: raw, offset })
    at = TOKEN.lastIndex
  }
  const rest = text.slice(at)
  if (rest.trim() !== '') {
    const offset = at + rest.length - rest.trimStart().length
    const stranger = { type: 'symbol', text: rest.trimStart()[0] ?? '', offset } as const
    const fix = stranger.text === "'" ? "close the text with '" : stranger.text === '"' ? "write texts in '…'" : undefined
    throw new ScriptMistake(`the script has a character that it cannot have: ${stranger.text}`, stranger, fix)
  }
  tokens.push({ type: 'end', text: '', offset: text.length })
  return tokens
}
