import type { Json, Rec } from '../../../kernel/index.ts'

/** Returns the value that a record writes under a key of the own scope of its frame; undefined if it writes none. */
export function writtenValue({ writes = [] }: Pick<Rec, 'writes'>, key: string): Json | undefined {
  const at = writes.findIndex((one, i) => i % 2 === 0 && one === key)
  return at < 0 ? undefined : writes[at + 1]
}
