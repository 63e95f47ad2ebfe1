import type { Input } from './record.ts'

/** Returns the ids of the messages that an input takes, in their order. */
export function messageIds(input: Input | undefined): readonly string[] {
  if (input?.[0] === 'messages') return input[2].map(([id]) => id)
  return input?.[0] === 'message' && input[3] !== undefined ? [input[3]] : []
}
