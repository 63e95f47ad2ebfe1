import type { WaitRules } from '../journal/record.ts'
import type { Message } from '../ports/store.ts'

/** Returns a function that takes messages one after another, and says of each whether one input still has room for it. The first has. */
export function roomFor({ bytes = Infinity }: WaitRules, most: number): (message: Message) => boolean {
  let count = 0
  let size = 0
  return ({ body }) => {
    count++
    if (bytes !== Infinity) size += JSON.stringify(body).length
    return count === 1 || (count <= most && size <= bytes)
  }
}
