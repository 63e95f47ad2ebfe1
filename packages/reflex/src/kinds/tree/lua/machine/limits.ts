/** The limits of one call of Lua as the engine counts them. */
export interface CountedLimits {
  /** Steps: executed instructions, with one more for each 16 bytes that are allocated and for each item that a function of the library visits. */
  readonly steps: number
  /** The most memory of Lua in bytes, with the values of the board that the script has read. */
  readonly memoryBytes: number
  /** The most bytes of what the call returns and writes. */
  readonly resultBytes: number
}

/** Instructions between two calls of the hook. A call is charged for its instructions in units of so many. */
export const HOOK_INSTRUCTIONS = 1000

/** Allocated bytes that count as one step. */
export const BYTES_PER_STEP = 16

/** The bytes of the stack of Lua at which recursion ends: 65,536 values, 10,000 to 20,000 calls inside each other. */
export const RECURSION_BYTES = 1024 * 1024

/** The most bytes of the stack of Lua, which one call with many arguments or results can reach: 262,144 values. */
export const STACK_BYTES = 4 * 1024 * 1024

/** The deepest nesting of tables at the border (reference 2.9). */
export const VALUE_DEPTH = 20

/** The most bytes of printed text that are kept. */
export const PRINT_BYTES = 64 * 1024
