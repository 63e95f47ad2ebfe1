/** Why the engine was stopped: a limit, something blocked, a definition that is wrong, or a value of the board that could not be read. */
export type AbortKind = 'steps' | 'memory' | 'depth' | 'result' | 'blocked' | 'definition' | 'read'

/**
 * Ends a call of Lua. It is thrown in a callback of the engine and leaves all frames of Lua at once: `pcall`, `xpcall` and error handlers do not
 * see it. The state of Lua is unusable afterwards, and the next call begins with the memory image.
 */
export class Abort extends Error {
  readonly kind: AbortKind
  /** The line of the user's text, if it is not the one that was being executed. */
  readonly line: number | undefined

  constructor(kind: AbortKind, message: string, line?: number) {
    super(message)
    this.kind = kind
    this.line = line
  }
}
